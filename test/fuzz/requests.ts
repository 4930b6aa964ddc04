import { request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/delivery';
import { sampleOf } from '../../nodes/VirtualPbx/pbx/events/table';
import { brokenText, json, object, corrupted, text, wellFormed } from './hostile';

/** An HTTP request that only an attacker would send. */
export interface HostileRequest {
	method: string;
	/** Without the question mark. */
	query: string;
	headers: Record<string, string>;
	body: Buffer;
}

const TYPES = [
	...['application/json', 'application/json; charset=utf-16', 'application/json; charset=no-such'],
	...['multipart/form-data', 'multipart/form-data; boundary=x'],
	...['application/x-www-form-urlencoded', 'application/xml', 'application/octet-stream'],
	...['text/plain', ';', ''],
];

const { name, args } = sampleOf('ended', 63_962_000_000);
const events = corrupted(fc.constant({ name, args, [TAG_NAME]: 'f'.repeat(64) }));
const KEYS = ['name', 'args', 'data', 'Call-ID', 'From', 'To', TAG_NAME];

const many = (count: number, key: string) =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [`${key}${n}`, `v${n}`]));

/** Bodies that are too deep, too long, or guess at the secret. */
const LARGE = [
	`${'['.repeat(20_000)}${']'.repeat(20_000)}`,
	`{"name":"${name}","args":${'{"args":'.repeat(5000)}1${'}'.repeat(5001)}`,
	`name=${name}&args${'[a]'.repeat(500)}=1`,
	JSON.stringify(many(2000, 'key')),
	JSON.stringify({ name, args, ...many(200, `${TAG_NAME}_`) }),
	JSON.stringify({ name, args, custom_data: `{"${TAG_NAME}":"` }),
	JSON.stringify(Array.from({ length: 50 }, () => ({ name, args }))),
	JSON.stringify({ name, args, junk: 'x'.repeat(2_000_000) }),
];

const partOf = (name: string) =>
	`--x\r\nContent-Disposition: form-data; name="${name}"; filename="../a"\r\n\r\n${name}\r\n--x--`;
const formOf = (value: object) =>
	Object.entries(value)
		.map(([key, one]) => `${key}[a][]=${String(JSON.stringify(one))}`)
		.join('&');

const bytes = fc.oneof(
	fc
		.oneof(
			...[fc.constantFrom(...LARGE), brokenText(events), brokenText(json(KEYS)), text],
			...[object(KEYS).map(formOf), text.map(partOf), fc.constant('')],
		)
		.map((one) => Buffer.from(one)),
	fc.uint8Array({ maxLength: 300 }).map((one) => Buffer.from(one)),
	brokenText(events).map((one) => Buffer.from(`\ufeff${one}`, 'utf16le')),
	brokenText(events).map((one) => gzipSync(one)),
);

const headerText = text.map((one) => one.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, ''));
const headers = fc.record(
	{
		'content-type': fc.constantFrom(...TYPES),
		'content-encoding': fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'x'),
		'x-http-method-override': fc.constantFrom('GET', 'DELETE'),
		'x-forwarded-for': headerText,
		'n8n-webhook-secret': headerText,
		cookie: headerText,
		accept: headerText,
		expect: fc.constant('x'),
		'x-long': fc.constantFrom('x'.repeat(9000), 'x'.repeat(20_000)),
	},
	{ requiredKeys: [] },
);
const queries = fc
	.array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS, 'a[b]', '__proto__[x]'), text), text), {
		maxLength: 5,
	})
	.map((pairs) => pairs.map((pair) => pair.map(inQuery).join('=')).join('&'));

function inQuery(part: string): string {
	return part
		.slice(0, 500)
		.replace(/[^\u0021-\u007e]|#/g, (sign) => encodeURIComponent(wellFormed(sign)));
}

/** Requests of all methods, types, and encodings. Most of them reach the node. */
export const requests: fc.Arbitrary<HostileRequest> = fc.record({
	method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'GET', 'PUT', 'HEAD', 'OPTIONS', 'PATCH'),
	query: queries,
	headers: fc.oneof(
		fc.constantFrom(...TYPES).map((type) => ({ 'content-type': type })),
		headers as fc.Arbitrary<Record<string, string>>,
	),
	body: bytes,
});

/** A response. Status 0 means that the connection was closed without one. */
export interface Received {
	status: number;
	body: string;
}

const MAX_MS = 30_000;

/**
 * Sends a request as is, without the checks of `fetch`.
 *
 * @throws Error if no response arrives within 30 seconds
 */
export async function sendHostile(
	url: string,
	{ method, query, headers: given, body }: HostileRequest,
): Promise<Received> {
	const target = new URL(url);
	const path = `${target.pathname}?${[target.search.slice(1), query].filter(Boolean).join('&')}`;
	const hasBody = method !== 'GET' && method !== 'HEAD';
	return await new Promise((resolve, reject) => {
		const outgoing = send(
			{
				...{ host: target.hostname, port: target.port, path, method, timeout: MAX_MS },
				// No keep-alive: n8n can close the connection just as it's reused.
				agent: false,
				headers: { ...given, ...(hasBody ? { 'content-length': body.length } : {}) },
			},
			(response) => {
				buffer(response).then(
					(whole) => resolve({ status: response.statusCode ?? 0, body: whole.toString() }),
					reject,
				);
			},
		);
		outgoing.on('timeout', () => outgoing.destroy(new Error('No response in time')));
		outgoing.on('error', (error: NodeJS.ErrnoException) => {
			if (['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) resolve({ status: 0, body: '' });
			else reject(error);
		});
		outgoing.end(hasBody ? body : undefined);
	});
}
