import type { FastifyRequest } from 'fastify';

/** A response's fields besides its data (§2.1). */
export interface Envelope<T> {
	data: T;
	revision: string;
	request_id: string;
	status: 'success';
	auth_token: string;
}

/** Wraps data in the envelope of §2.1. */
export const envelope = <T>(request: FastifyRequest, data: T, revision: number): Envelope<T> => ({
	data,
	revision: String(revision),
	request_id: request.id,
	status: 'success',
	auth_token: request.token,
});
