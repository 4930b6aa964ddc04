import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { Reply } from '../engine/network';

function read<T>(name: string): T {
	return JSON.parse(
		readFileSync(path.join(__dirname, '../../../test/corpus', `${name}.json`), 'utf8'),
	) as T;
}

interface Entry<Body = IDataObject> {
	body: Body;
	status?: number;
	headers?: Record<string, string>;
	method?: string;
	url?: string;
}

/** Events from public sources and recordings, as sent. */
export const EVENTS = [...read<Entry[]>('events'), ...read<Entry[]>('foreign-events')].map(
	({ body }) => body,
);
export const KAZOO_DELIVERIES = read<Array<Entry<string>>>('kazoo/deliveries');
export const PIVOT_REQUESTS = read<Entry[]>('pivot-requests').map(({ body }) => body);
export const KAZOO_PIVOT_REQUESTS = read<Array<Entry<string>>>('kazoo/pivot-requests');
export const RECORDS = read<Entry[]>('cdrs').map(({ body }) => body);
export const CALLFLOWS = read<Entry[]>('callflows').map(({ body }) => body);
export const WEBHOOKS = read<Entry[]>('webhooks').map(({ body }) => body);
export const ATTEMPTS = read<{ attempts: Entry[] }>('attempts').attempts.map(({ body }) => body);

const recorded = [
	...read<Entry[]>('errors'),
	...read<Entry[]>('logins'),
	...read<Entry[]>('kazoo/api'),
];
const statuses = [200, 201, 204, 302, 400, 401, 403, 404, 409, 415, 429, 500, 503, 504];
const bodies = [
	...['', '<html><body>Down</body></html>', '{"data":', 'null', '[]', '"text"', '{}', '\u0000'],
	...[
		{ data: null },
		{ data: {} },
		{ data: { data: [{ id: 'x' }] } },
		{ data: [null, 5, 'x', [], {}] },
	],
	...[{ message: 'no', data: { numbers: { unique: { message: 'taken', cause: '101' } } } }],
	...[{ data: [{ id: 5, name: null }], next_start_key: 'k' }, [{ id: 'x', hook: 'all', uri: 5 }]],
];
const faults = [
	'ECONNREFUSED',
	'ECONNRESET',
	'ENOTFOUND',
	'ETIMEDOUT',
	'CERT_HAS_EXPIRED',
	'EPROTO',
];

/** Unexpected responses of a PBX, or of something in front of it. */
export const ODD_REPLIES: Reply[] = [
	...recorded.map(({ status = 500, body }) => ({ status, body })),
	...statuses.map((status) => ({ status, body: { status: 'error', message: `code ${status}` } })),
	...bodies.flatMap((body) => [{ body }, { status: 400, body }, { status: 502, body }]),
	...faults.map((fault) => ({ fault })),
	{ status: 429, headers: { 'retry-after': '3' }, body: {} },
	{ status: 503, headers: { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }, body: {} },
	{ status: 307, headers: { location: 'https://other.example/x' } },
	{ status: 302, headers: { location: 'https://pbx.example/v1/pbx/moved' } },
	{ delayMs: 20_000 },
	{ delayMs: 400_000, body: { data: [] } },
];
