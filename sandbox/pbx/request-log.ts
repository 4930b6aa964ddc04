import type { FastifyReply, FastifyRequest } from 'fastify';
import { shown } from '../model/logs';
import { omit } from '../model/omit';
import type { Pbx } from '../model/pbx';
import { rowOf } from './versions';

/** Logs a request to the PBX side and its response. */
export function logRequest(pbx: Pbx, request: FastifyRequest, reply: FastifyReply): void {
	const { id, method, url, body, account } = request;
	const route = request.routeOptions.url;
	const entry = {
		id,
		at: Date.now(),
		method,
		path: url,
		row: route === undefined ? `${method} (unknown)` : `${method} ${rowOf(route)}`,
		status: reply.statusCode,
		account_id: account?.id ?? null,
		ms: Math.round(reply.elapsedTime),
		...(body === undefined ? {} : { body }),
	};
	pbx.requests.push(entry);
	pbx.bus.publish('request', () => omit(shown(entry), 'body'));
}
