import type { Sandbox } from '../../sandbox';

type Order = Parameters<Sandbox['pbx']['faults']['add']>[0];

/** One thing that goes wrong. */
export interface Fault {
	name: string;
	order: Order;
	/** Strikes the login rather than the request itself, after every token has run out. */
	atLogin?: boolean;
	/** Real time to wait after a run, until the PBX has acted on requests that were given up. */
	waitMs?: number;
	/** It may pass by itself, so a read or a removal gets over it. */
	mayPass?: boolean;
	/** The PBX says that there is no such thing, and is believed. */
	saysGone?: boolean;
	/** The PBX answers as if all was well, though with other data. */
	otherData?: boolean;
}

/** How long the slow PBX takes, in milliseconds: longer than a request of the matrix waits. */
const LATE_MS = 9500;

const CODES = [400, 401, 404, 415, 500, 503, 504] as const;
const HTML = { 'content-type': 'text/html' };

const statuses: Fault[] = CODES.map((status) => ({
	name: `${status}`,
	order: { kind: 'status', status },
	saysGone: status === 404,
	mayPass: status === 503 || status === 504,
}));

/** Every fault of the matrix, in the order of the table. */
export const FAULTS: readonly Fault[] = [
	...statuses,
	{ name: '500 without a body', order: { kind: 'status', status: 500, body: null } },
	{
		name: '429 with Retry-After',
		order: { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
		mayPass: true,
	},
	{ name: '429 without Retry-After', order: { kind: 'status', status: 429 }, mayPass: true },
	{
		name: '429 with Retry-After of an hour',
		order: { kind: 'status', status: 429, headers: { 'retry-after': '3600' } },
	},
	{
		name: '504 although the PBX acted',
		order: { kind: 'status', status: 504, when: 'after' },
		mayPass: true,
	},
	{
		name: 'connection lost before the PBX acted',
		order: { kind: 'drop', when: 'before' },
		mayPass: true,
	},
	{
		name: 'connection lost after the PBX acted',
		order: { kind: 'drop', when: 'after' },
		mayPass: true,
	},
	{ name: 'incomplete JSON', order: { kind: 'truncate', bytes: 30 }, mayPass: true },
	{
		name: 'connection lost during the answer',
		order: { kind: 'truncate', bytes: 30, abort: true },
		mayPass: true,
	},
	{
		name: 'HTML instead of JSON',
		order: { kind: 'status', status: 200, headers: HTML, body: '<html><p>Sign in</p></html>' },
	},
	{ name: 'token expired', order: { kind: 'expire-token' } },
	{ name: 'login refused', order: { kind: 'status', status: 401 }, atLogin: true },
	{
		name: 'cursor that repeats',
		order: { kind: 'repeat-cursor', page_size: 1 },
		otherData: true,
	},
	{
		name: 'no answer in time',
		order: { kind: 'latency', seconds: LATE_MS / 1000 },
		waitMs: LATE_MS,
		mayPass: true,
	},
];

const LOGIN = 'PUT /user_auth';
const LIST = /^GET .*\/(callflows|webhooks|attempts|cdrs)$/;

/** Whether a fault can happen at a request at all: a token has no part in a login, nor a cursor in what is no list. */
export function concerns(fault: Fault, row: string, isPatient = false): boolean {
	if (fault.waitMs && isPatient) return false;
	if (fault.order.kind === 'repeat-cursor') return LIST.test(row);
	return row !== LOGIN || !(fault.atLogin || fault.order.kind === 'expire-token');
}
