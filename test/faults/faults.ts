import type { FaultOrder as Order } from '../../sandbox/faults/schema';

/** A fault that the sandbox PBX can produce. */
export interface Fault {
	name: string;
	order: Order;
	/** Affects the login instead of the request itself, after all tokens expire. */
	atLogin?: boolean;
	/** Temporary, so retries of reads and deletions succeed. */
	isTemporary?: boolean;
	/** The PBX reports that the resource doesn't exist, or success with other data, which the nodes take as fact. */
	isUndetectable?: boolean;
	/** Which requests it can affect, by their row of the contract. */
	rows?: RegExp;
}

const CODES = [400, 401, 404, 415, 500, 503, 504] as const;
const passing = { isTemporary: true };
const status = (
	name: string,
	code: number,
	order: Partial<Order> = {},
	marks: Partial<Fault> = {},
): Fault => ({ name, order: { ...order, kind: 'status', status: code }, ...marks });
const drop = (when: string, order: Partial<Order>): Fault => ({
	name: `connection lost ${when}`,
	order: { ...order, kind: 'drop' } as Order,
	isTemporary: true,
});

/** All faults of the matrix. */
export const FAULTS: readonly Fault[] = [
	...CODES.map((code) =>
		status(`${code}`, code, {}, { isUndetectable: code === 404, isTemporary: code > 500 }),
	),
	status('500 without a body', 500, { body: null }),
	status('429 with Retry-After', 429, { headers: { 'retry-after': '0' } }, passing),
	status('429 without Retry-After', 429, {}, passing),
	status('429 with Retry-After of an hour', 429, { headers: { 'retry-after': '3600' } }),
	status('504 although the PBX acted', 504, { when: 'after' }, passing),
	drop('before the PBX acted', { when: 'before' }),
	drop('after the PBX acted', { when: 'after' }),
	drop('during the response', { when: 'during', bytes: 30 }),
	status(
		'incomplete JSON',
		200,
		{ when: 'after', body: '{"data": [{"id' },
		{ ...passing, rows: /^(?!.*\/recordings\/)/ },
	),
	status('HTML instead of JSON', 200, {
		headers: { 'content-type': 'text/html' },
		body: '<html><p>Sign in</p></html>',
	}),
	status('login rejected', 401, {}, { atLogin: true, rows: /^(?!PUT \/user_auth)/ }),
	status(
		'repeated cursor',
		200,
		{ body: { data: [{ id: 'x' }], next_start_key: 'x' } },
		{ isUndetectable: true, rows: /^GET .*\/(callflows|webhooks|attempts|cdrs)$/ },
	),
];
