import type { Sandbox } from '../../sandbox';

type Order = Parameters<Sandbox['pbx']['faults']['add']>[0];

/** One thing that goes wrong. */
export interface Fault {
	name: string;
	order: Order;
	/** Strikes the login rather than the request itself, after every token has run out. */
	atLogin?: boolean;
	/** It may pass by itself, so a read or a removal gets over it. */
	mayPass?: boolean;
	/** The PBX says that there is no such thing, and is believed. */
	saysGone?: boolean;
	/** The PBX answers as if all was well, though with other data. */
	otherData?: boolean;
}

const CODES = [400, 401, 404, 415, 500, 503, 504] as const;

const status = (
	name: string,
	code: number,
	order: Partial<Order> = {},
	marks: Partial<Fault> = {},
): Fault => ({ name, order: { ...order, kind: 'status', status: code }, ...marks });
const passing = (name: string, order: Order): Fault => ({ name, order, mayPass: true });

/** Every fault of the matrix, in the order of the table. */
export const FAULTS: readonly Fault[] = [
	...CODES.map((code) =>
		status(`${code}`, code, {}, { saysGone: code === 404, mayPass: code === 503 || code === 504 }),
	),
	status('500 without a body', 500, { body: null }),
	status('429 with Retry-After', 429, { headers: { 'retry-after': '0' } }, { mayPass: true }),
	status('429 without Retry-After', 429, {}, { mayPass: true }),
	status('429 with Retry-After of an hour', 429, { headers: { 'retry-after': '3600' } }),
	status('504 although the PBX acted', 504, { when: 'after' }, { mayPass: true }),
	passing('connection lost before the PBX acted', { kind: 'drop', when: 'before' }),
	passing('connection lost after the PBX acted', { kind: 'drop', when: 'after' }),
	passing('incomplete JSON', { kind: 'truncate', bytes: 30 }),
	passing('connection lost during the answer', { kind: 'truncate', bytes: 30, abort: true }),
	status('HTML instead of JSON', 200, {
		headers: { 'content-type': 'text/html' },
		body: '<html><p>Sign in</p></html>',
	}),
	{ name: 'token expired', order: { kind: 'expire-token' } },
	status('login refused', 401, {}, { atLogin: true }),
	{
		name: 'cursor that repeats',
		order: { kind: 'repeat-cursor', page_size: 1 },
		otherData: true,
	},
];

const LOGIN = 'PUT /user_auth';
const LIST = /^GET .*\/(callflows|webhooks|attempts|cdrs)$/;

/** Whether a fault can happen at a request at all: a token has no part in a login, nor a cursor in what is no list. */
export function concerns(fault: Fault, row: string): boolean {
	if (fault.order.kind === 'repeat-cursor') return LIST.test(row);
	return row !== LOGIN || !(fault.atLogin || fault.order.kind === 'expire-token');
}
