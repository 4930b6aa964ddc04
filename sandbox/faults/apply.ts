import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pbx } from '../model/pbx';
import { errorBody, ApiError, sentToken } from '../server/errors';
import { logRequest } from '../pbx/request-log';
import type { Fault } from './schema';

const find = (
	{ faults }: FastifyRequest,
	wanted: Fault['kind'],
	stage: Fault['when'] = 'before',
): Fault | undefined =>
	faults?.find(({ kind, when = 'before' }) => kind === wanted && when === stage);

/** Waits some seconds, or until the connection closes. A closing sandbox closes all connections. */
async function hold({ raw }: FastifyReply, seconds: number): Promise<void> {
	const gone = new AbortController();
	const leave = () => gone.abort();
	raw.once('close', leave);
	if (raw.destroyed || raw.socket?.destroyed) leave();
	await sleep(seconds * 1000, undefined, { signal: gone.signal }).catch(() => {});
	raw.off('close', leave);
}

/** Takes the response out of fastify's hands. The log shows it as status 0. */
function leaveOpen(reply: FastifyReply): void {
	reply.hijack();
	reply.raw.statusCode = 0;
}

/** Sets the status and headers of a status fault, and returns its body: the requested one, else the default error body. */
function respond(
	{ settings }: Pbx,
	request: FastifyRequest,
	reply: FastifyReply,
	{ status = 500, headers = {}, body }: Fault,
): string {
	reply.code(status).removeHeader('content-length');
	if (body !== null) reply.type('application/json; charset=utf-8');
	reply.headers(headers);
	if (body === null) return '';
	const whole = body ?? errorBody(request, new ApiError(status), settings);
	const text = typeof whole === 'string' ? whole : JSON.stringify(whole);
	return text.replaceAll('{token}', sentToken(request));
}

/** Applies the faults for before a request is handled. Returns whether one of them responded. */
export async function applyBefore(
	pbx: Pbx,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<boolean> {
	const [path = ''] = request.url.split('?', 1);
	request.faults = pbx.faults.apply({ side: 'request', method: request.method, path });
	const latency = find(request, 'latency');
	if (latency?.seconds !== undefined) await hold(reply, latency.seconds);
	const isDropped = find(request, 'drop') !== undefined;
	if (isDropped || (latency && latency.seconds === undefined)) {
		leaveOpen(reply);
		if (isDropped) request.raw.socket.destroy();
		logRequest(pbx, request, reply);
		return true;
	}
	const status = find(request, 'status');
	if (status) await reply.send(respond(pbx, request, reply, status));
	return status !== undefined;
}

/** Passes the first bytes of a payload, then breaks the connection. */
async function* upTo(
	source: AsyncIterable<Buffer> | Iterable<Buffer>,
	bytes: number,
): AsyncGenerator<Buffer> {
	let left = bytes;
	for await (const chunk of source) {
		const part = chunk.subarray(0, left);
		left -= part.length;
		if (part.length > 0) yield part;
		if (left === 0) break;
	}
	throw new Error('aborted by a fault');
}

/** Returns a response that breaks off. */
function brokenOff(reply: FastifyReply, payload: unknown, { bytes }: Fault): Readable {
	if (payload instanceof Readable) return Readable.from(upTo(payload, bytes ?? 1000));
	const whole = Buffer.from(payload as string);
	reply.header('content-length', whole.length);
	return Readable.from(upTo([whole], bytes ?? Math.floor(whole.length / 2)));
}

/** Applies the faults for after a request is handled. Returns the payload to send. */
export function applyAfter(
	pbx: Pbx,
	request: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
): unknown {
	if (find(request, 'drop', 'after')) {
		leaveOpen(reply);
		request.raw.socket.destroy();
		if (!(payload instanceof Readable)) return payload;
		payload.destroy();
		return '';
	}
	const status = find(request, 'status', 'after');
	if (status) return respond(pbx, request, reply, status);
	const cut = find(request, 'drop', 'during');
	return cut ? brokenOff(reply, payload, cut) : payload;
}
