import type { Sandbox } from '../../sandbox';

type Order = Parameters<Sandbox['pbx']['faults']['add']>[0];

/** A fault that the sandbox PBX can produce. */
export interface Fault {
	name: string;
	order: Order;
	/** Affects the login instead of the request itself, after all tokens expire. */
	atLogin?: boolean;
	/** Temporary, so retries of reads and deletions succeed. */
	isTemporary?: boolean;
	/** The PBX reports that the resource doesn't exist, which the nodes take as fact. */
	saysGone?: boolean;
	/** The PBX reports success, but returns different data. */
	otherData?: boolean;
}

const INCOMPLETE_JSON = 'incomplete JSON';
const REPEATED_CURSOR = 'repeated cursor';
const CODES = [400, 401, 404, 415, 500, 503, 504] as const;

const status = (
	name: string,
	code: number,
	order: Partial<Order> = {},
	marks: Partial<Fault> = {},
): Fault => ({ name, order: { ...order, kind: 'status', status: code }, ...marks });
const temporary = (name: string, order: Order): Fault => ({ name, order, isTemporary: true });

/** All faults of the matrix, in the table's order. */
export const FAULTS: readonly Fault[] = [
	...CODES.map((code) =>
		status(
			`${code}`,
			code,
			{},
			{ saysGone: code === 404, isTemporary: code === 503 || code === 504 },
		),
	),
	status('500 without a body', 500, { body: null }),
	status('429 with Retry-After', 429, { headers: { 'retry-after': '0' } }, { isTemporary: true }),
	status('429 without Retry-After', 429, {}, { isTemporary: true }),
	status('429 with Retry-After of an hour', 429, { headers: { 'retry-after': '3600' } }),
	status('504 although the PBX acted', 504, { when: 'after' }, { isTemporary: true }),
	temporary('connection lost before the PBX acted', { kind: 'drop', when: 'before' }),
	temporary('connection lost after the PBX acted', { kind: 'drop', when: 'after' }),
	status(INCOMPLETE_JSON, 200, { when: 'after', body: '{"data": [{"id' }, { isTemporary: true }),
	temporary('connection lost during the response', { kind: 'drop', when: 'during', bytes: 30 }),
	status('HTML instead of JSON', 200, {
		headers: { 'content-type': 'text/html' },
		body: '<html><p>Sign in</p></html>',
	}),
	status('login rejected', 401, {}, { atLogin: true }),
	status(
		REPEATED_CURSOR,
		200,
		{ body: { data: [{ id: 'x' }], next_start_key: 'x' } },
		{ otherData: true },
	),
];

const LOGIN = 'PUT /user_auth';
const LIST = /^GET .*\/(callflows|webhooks|attempts|cdrs)$/;

/** Whether a fault can affect a request: logins need no token, recordings aren't JSON, and only lists have a cursor. */
export function canAffect(fault: Fault, row: string): boolean {
	if (fault.name === REPEATED_CURSOR) return LIST.test(row);
	if (fault.name === INCOMPLETE_JSON) return !row.includes('/recordings/');
	return row !== LOGIN || !fault.atLogin;
}
