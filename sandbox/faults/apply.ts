import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pbx } from '../model/pbx';
import type { Webhook } from '../model/types';
import { errorBody, ApiError, sentToken } from '../server/errors';
import { logRequest } from '../pbx/request-log';
import type { Fault, FaultKind } from './schema';

const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

const find = (request: FastifyRequest, kind: FaultKind, when: 'before' | 'after' = 'before') =>
	request.faults?.find((fault) => fault.kind === kind && (fault.when ?? 'before') === when);

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

/** Breaks the connection. */
function dropConnection(request: FastifyRequest, reply: FastifyReply): void {
	leaveOpen(reply);
	request.raw.socket.destroy();
}

/** Returns the body for a status fault: the requested one, else the default error body. */
function bodyOf({ settings }: Pbx, request: FastifyRequest, fault: Fault): string {
	if (fault.body === null) return '';
	const defaultBody = () => errorBody(request, new ApiError(fault.status ?? 500), settings);
	const body = fault.body === undefined ? defaultBody() : fault.body;
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return text.replaceAll('{token}', sentToken(request));
}

function setStatus(reply: FastifyReply, fault: Fault): void {
	reply.code(fault.status ?? 500).removeHeader('content-length');
	if (fault.body !== null) reply.type('application/json; charset=utf-8');
	reply.headers(fault.headers ?? {});
}

/** Applies the faults for before a request is handled. Returns whether one of them responded. */
export async function applyBefore(
	pbx: Pbx,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<boolean> {
	if (pbx.faults.none) return false;
	const path = pathOf(request.url);
	request.faults = pbx.faults.apply({ side: 'request', method: request.method, path });
	const latency = find(request, 'latency');
	if (latency) await hold(reply, latency.seconds ?? 1);
	if (find(request, 'silent')) {
		leaveOpen(reply);
		logRequest(pbx, request, reply);
		return true;
	}
	if (find(request, 'drop')) {
		dropConnection(request, reply);
		logRequest(pbx, request, reply);
		return true;
	}
	const status = find(request, 'status');
	if (!status) return false;
	setStatus(reply, status);
	await reply.send(bodyOf(pbx, request, status));
	return true;
}

/** Passes the first bytes of a payload, then ends it or breaks the connection. */
async function* upTo(
	source: AsyncIterable<string | Buffer> | Iterable<Buffer>,
	bytes: number,
	abort: boolean,
): AsyncGenerator<Buffer> {
	let left = bytes;
	for await (const chunk of source) {
		const part = Buffer.from(chunk as Buffer).subarray(0, left);
		left -= part.length;
		if (part.length > 0) yield part;
		if (left === 0) break;
	}
	if (abort) throw new Error('aborted by a fault');
}

/** Truncates a response: with a correct length, or by breaking the connection. */
function truncate(reply: FastifyReply, payload: unknown, fault: Fault): Readable {
	const isStream = payload instanceof Readable;
	const whole = isStream ? undefined : Buffer.from(payload as string | Buffer);
	const { bytes = whole ? Math.floor(whole.length / 2) : 1000, abort = false } = fault;
	reply.removeHeader('content-length');
	if (whole) reply.header('content-length', abort ? whole.length : Math.min(bytes, whole.length));
	return Readable.from(upTo(whole ? [whole] : (payload as Readable), bytes, abort));
}

/** Changes the request's webhook, or else all webhooks of its account. */
function onWebhooks({ account, webhookId }: FastifyRequest, act: (webhook: Webhook) => void): void {
	const named = account?.webhooks.get(webhookId);
	for (const webhook of named ? [named] : (account?.webhooks.all() ?? [])) act(webhook);
}

/** Applies the faults for after a request is handled. Returns the payload to send. */
export function applyAfter(
	pbx: Pbx,
	request: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
): unknown {
	if (!request.faults) return payload;
	if (find(request, 'webhook-disable')) {
		onWebhooks(request, (webhook) =>
			Object.assign(webhook, { enabled: false, disable_reason: 'by fault' }),
		);
	}
	if (find(request, 'webhook-delete')) {
		onWebhooks(request, (webhook) => request.account?.webhooks.remove(webhook.id));
	}
	if (find(request, 'drop', 'after')) {
		dropConnection(request, reply);
		if (!(payload instanceof Readable)) return payload;
		payload.destroy();
		return '';
	}
	const status = find(request, 'status', 'after');
	if (status) {
		setStatus(reply, status);
		return bodyOf(pbx, request, status);
	}
	const cut = find(request, 'truncate');
	return cut ? truncate(reply, payload, cut) : payload;
}
