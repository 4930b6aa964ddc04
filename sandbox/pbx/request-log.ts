import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pbx } from '../model/pbx';
import { rowOf } from './versions';

export type RequestEntry = ReturnType<typeof entryOf>;

function entryOf(request: FastifyRequest, reply: FastifyReply) {
	const { id, method, url, body, account } = request;
	const route = request.routeOptions.url;
	return {
		id,
		at: new Date().toISOString(),
		method,
		path: url,
		/** The row of §4 that responded, such as `PUT /accounts/:account_id/webhooks`. */
		row: `${method} ${route === undefined ? '(unknown)' : rowOf(route)}`,
		status: reply.statusCode,
		account_id: account?.id ?? null,
		ms: Math.round(reply.elapsedTime),
		...(body !== undefined && { body }),
	};
}

const SECRETS = ['password', 'custom_data', 'auth_token'];

/** Returns an entry for display: with its secrets blanked. */
export const shown = (entry: RequestEntry) =>
	JSON.parse(
		JSON.stringify(entry, (key, value: unknown) => (SECRETS.includes(key) ? '[redacted]' : value)),
	) as RequestEntry;

export function logRequest(pbx: Pbx, request: FastifyRequest, reply: FastifyReply): void {
	const entry = entryOf(request, reply);
	pbx.requests.push(entry);
	pbx.bus.publish('request', () => shown(entry));
}
