import type { FastifyRequest } from 'fastify';

/** What the platform says around the data of an answer (§2.1). */
export interface Envelope<T> {
	data: T;
	revision: string;
	request_id: string;
	status: 'success';
	auth_token: string;
}

/** Puts data into the envelope of §2.1. */
export const envelope = <T>(request: FastifyRequest, data: T, revision: number): Envelope<T> => ({
	data,
	revision: String(revision),
	request_id: request.id,
	status: 'success',
	auth_token: request.token,
});
