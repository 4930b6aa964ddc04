import { request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/delivery';
import { sampleOf } from '../../nodes/VirtualPbx/pbx/events/table';

/** An HTTP request that only an attacker would send. */
export interface HostileRequest {
	what: string;
	method: string;
	/** Without the question mark. */
	query: string;
	headers: Record<string, string>;
	body: Buffer;
}

const TYPES = [
	...['application/json', 'application/json; charset=utf-16', 'application/json; charset=no-such'],
	...['multipart/form-data', 'multipart/form-data; boundary=x'],
	...['application/x-www-form-urlencoded', 'application/octet-stream', 'text/plain', ';', ''],
];

const { name, args } = sampleOf('ended', 63_962_000_000);
const event = JSON.stringify({ name, args, [TAG_NAME]: 'f'.repeat(64) });
const many = (count: number, key: string) =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [`${key}${n}`, `v${n}`]));
const part = `--x\r\nContent-Disposition: form-data; name="event"; filename="../a"\r\n\r\n${event}\r\n--x--`;

/** Bodies that are broken, too deep, too long, differently encoded, or guess at the secret. */
const BODIES = [
	...['', 'null', '[]', '{"__proto__":{"isAdmin":true}}', event.slice(0, -9), `[${event}]`, part],
	`${'['.repeat(20_000)}${']'.repeat(20_000)}`,
	`{"name":"${name}","args":${'{"args":'.repeat(5000)}1${'}'.repeat(5001)}`,
	`name=${name}&args${'[a]'.repeat(500)}=1&__proto__[x]=1&a=%E0%A4%A`,
	JSON.stringify(many(2000, 'key')),
	JSON.stringify({ name, args, ...many(200, `${TAG_NAME}_`) }),
	JSON.stringify({ name, args, custom_data: `{"${TAG_NAME}":"` }),
	JSON.stringify({ name, args, junk: 'x'.repeat(2_000_000) }),
	Buffer.from(`\ufeff${event}`, 'utf16le'),
	gzipSync(event),
].map((body) => Buffer.from(body as string));

const METHODS = ['POST', 'POST', 'GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'PATCH'];
const HEADERS = [
	...[{}, {}, { 'x-http-method-override': 'DELETE' }],
	{ 'x-forwarded-for': '\u00ff<script>', cookie: 'a="' },
	{ 'n8n-webhook-secret': 'f'.repeat(64), accept: '*/*;q=x' },
	...[{ 'x-long': 'x'.repeat(9000) }, { 'x-long': 'x'.repeat(20_000) }],
];
const QUERIES = [
	...['', `${TAG_NAME}=${'f'.repeat(64)}`, '__proto__[x]=1&a[b]=%00&%E0%A4%A', 'x='.repeat(500)],
];
const oneOf = <T>(list: readonly T[], index: number) => list[index % list.length] as T;

/** Each body as each type, by all methods, with odd headers and queries. Most of them reach the node. */
export const REQUESTS: HostileRequest[] = BODIES.flatMap((body, row) =>
	TYPES.map((type, column) => ({
		what: `body ${row} as ${type}`,
		method: oneOf(METHODS, row + column),
		query: oneOf(QUERIES, row + 3 * column),
		headers: { 'content-type': type, ...oneOf(HEADERS, row * 2 + column) },
		body,
	})),
);

const MAX_MS = 30_000;

/**
 * Sends a request as is, without the checks of `fetch`. Returns the response, of status 0 if the connection was closed
 * without one.
 *
 * @throws Error if no response arrives within 30 seconds
 */
export async function sendHostile(
	url: string,
	{ method, query, headers: given, body }: HostileRequest,
): Promise<{ status: number; body: string }> {
	const { hostname: host, port, pathname, search } = new URL(url);
	const path = `${pathname}?${[search.slice(1), query].filter(Boolean).join('&')}`;
	const hasBody = method !== 'GET' && method !== 'HEAD';
	const headers = { ...given, ...(hasBody ? { 'content-length': body.length } : {}) };
	// No keep-alive: n8n can close the connection just as it's reused.
	const options = { host, port, path, method, timeout: MAX_MS, agent: false, headers };
	return await new Promise((resolve, reject) => {
		const outgoing = send(options, (response) => {
			buffer(response).then(
				(whole) => resolve({ status: response.statusCode ?? 0, body: whole.toString() }),
				reject,
			);
		});
		outgoing.on('timeout', () => outgoing.destroy(new Error('No response in time')));
		outgoing.on('error', (error: NodeJS.ErrnoException) => {
			if (['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) resolve({ status: 0, body: '' });
			else reject(error);
		});
		outgoing.end(hasBody ? body : undefined);
	});
}
