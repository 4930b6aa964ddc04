import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { getGlobalState, setGlobalState } from 'n8n-workflow';

import { searchesOf, usePbx } from '../../support/sandbox';

const pbx = usePbx();

const NOON = Date.UTC(2026, 10, 20, 12) / 1000;
const GREGORIAN_NOON = NOON + 62_167_219_200;
const HOUR = 3600;

const add = async (...records: IDataObject[]) => await pbx.client.addRecords(records);
const queries = () => searchesOf(pbx);

const leg = (id: string, second: number, more: IDataObject): IDataObject => ({
	TIMESTAMP: String(GREGORIAN_NOON + second),
	BRIDGE_ID: `${id}@10.0.0.5`,
	BILLING_SECONDS: '0',
	...more,
});
/** A call from outside: the caller's leg, and that of the one phone it rang; with why it ended, or how long it was talked on. */
const fromOutside = (id: string, second: number, from: string, cause: string | number) => {
	const talk = typeof cause === 'number' ? cause : 0;
	const both = {
		CALLER_ID_NUMBER: `sip:${from}@carrier`,
		HANGUP_CAUSE: talk > 0 ? 'NORMAL_CLEARING' : cause,
	};
	const seconds = { BILLING_SECONDS: String(talk) };
	return [
		leg(id, second - 1, {
			...both,
			...seconds,
			CALL_DIRECTION: 'outbound',
			CALLEE_ID_NUMBER: 'sip:100@demo',
		}),
		leg(id, second, {
			...both,
			...seconds,
			CALL_DIRECTION: 'inbound',
			CALLEE_ID_NUMBER: 'sip:12125550100@demo',
		}),
	];
};
const toOutside = (id: string, second: number, [from, to]: [string, string], talk: number) =>
	['inbound', 'outbound'].map((direction) =>
		leg(id, second, {
			CALL_DIRECTION: direction,
			CALLER_ID_NUMBER: `${from} (IVANOVA)`,
			CALLEE_ID_NUMBER: to,
			HANGUP_CAUSE: talk > 0 ? 'NORMAL_CLEARING' : 'NO_ANSWER',
			BILLING_SECONDS: String(talk),
		}),
	);
const range = { period: 'range', after: NOON - HOUR, before: NOON + HOUR };
const range31 = { period: 'range' };
const get = async (parameters: INodeParameters = {}) =>
	await pbx.items('call:getMany', { returnAll: true, ...range, ...parameters });
const getMissed = async (parameters: INodeParameters = {}) =>
	await pbx.items('call:getMissedCallers', { returnAll: true, ...range, ...parameters });
const ids = (items: IDataObject[]) => items.map(({ callId }) => String(callId).split('@')[0]);

describe('Get Many of calls (§4.3)', () => {
	const CALLS = [
		...fromOutside('answered', 0, '12125550151', 30),
		...fromOutside('missed', 60, '13125550152', 'NO_ANSWER'),
		...fromOutside('busy', 120, '12125550153', 'USER_BUSY'),
		...toOutside('cancelled', 180, ['101', '12125550154'], 0),
		...toOutside('out', 240, ['101', '12125550155'], 12),
		...toOutside('inside', 300, ['101', '102'], 5),
	];

	it('gives each call as Get does, newest first, in one request', async () => {
		await add(...CALLS);
		const items = await get();
		expect(ids(items)).toEqual(['inside', 'out', 'cancelled', 'busy', 'missed', 'answered']);
		expect(queries()).toEqual([
			{
				created_from: String(GREGORIAN_NOON - 3 * HOUR),
				created_to: String(GREGORIAN_NOON + 3 * HOUR),
			},
		]);
		for (const simplify of [true, false]) {
			for (const item of await get({ simplify })) {
				const callId = String(item.callId);
				expect(await pbx.items('call:get', { callId, simplify, ...range })).toEqual([item]);
			}
		}
	});

	it.each<[string, IDataObject, string[]]>([
		[
			'outcomes from an expression',
			{ outcomes: '={{ "noAnswer, busy" }}', callType: ['incoming'] },
			['busy', 'missed'],
		],
		['employees', { employees: '101' }, ['inside', 'out', 'cancelled']],
		['a phone that rang', { to: '100' }, ['busy', 'missed', 'answered']],
		['either number', { number: '+1 (212) 555-0155, 1312*' }, ['out', 'missed']],
		['talk time', { minTalkSeconds: 12, missed: 'without' }, ['out', 'answered']],
	])('filters by %s', async (_, filters, expected) => {
		await add(...CALLS);
		expect(ids(await get({ filters: filters as INodeParameters }))).toEqual(expected);
	});

	it('starts 31 days ago', async () => {
		const now = Math.floor(Date.now() / 1000) - NOON;
		await add(...fromOutside('older', now - 32 * 24 * HOUR, '12125550151', 'NO_ANSWER'));
		await add(...fromOutside('old', now - 30 * 24 * HOUR, '12125550151', 'NO_ANSWER'));
		await add(...fromOutside('whole', now - 3 * HOUR, '12125550151', 9));
		expect(ids(await pbx.items('call:getMany', range31))).toEqual(['whole', 'old']);
	});

	it.each<[string, INodeParameters, string]>([
		[
			'an unknown outcome',
			{ filters: { outcomes: ['misssed'] } },
			"\"misssed\" isn't a valid value for 'Outcomes'",
		],
		['a range over 366 days', { after: NOON - 367 * 24 * HOUR }, "'After' is more than 366 days"],
		['an empty filter', { filters: { employees: ' ' } }, "'Employees' is empty"],
		['an unknown period', { period: 'ever' }, "\"ever\" isn't a valid value for 'Period'"],
		...['+', '()', '-', '*'].map((sign): [string, INodeParameters, string] => [
			`a number of the sign ${sign} alone`,
			{ filters: { number: sign } },
			"'Caller or Called Numbers' has no number",
		]),
	])('refuses %s before anything is sent', async (_, parameters, words) => {
		const { error } = await pbx.run('call:getMany', { ...range, ...parameters });
		expect(error?.message).toContain(words);
		expect(pbx.sandbox.pbx.requests.list()).toEqual([]);
	});
});

describe('Missed Callers', () => {
	const lost = (id: string, second: number, from: string) =>
		fromOutside(id, second, from, 'NO_ANSWER');
	const CALLS = [
		...lost('m1', 0, '12125550151'),
		...lost('m2', 60, '12125550151'),
		...toOutside('tried', 90, ['101', '12125550151'], 0),
		...toOutside('back', 3 * HOUR, ['102', '+1 212-555-0151'], 40),
		...lost('m3', 120, '13125550152'),
		...fromOutside('came', 200, '13125550152', 9),
		...lost('m4', 300, '12125550153'),
		...fromOutside('after', 2 * HOUR, '12125550159', 'NO_ANSWER'),
		...toOutside('colleague', 20, ['101', '102'], 0),
	];

	it('ignores stored filters that it no longer offers, and refuses an outcome that no missed call has', async () => {
		await add(...fromOutside('missed', 0, '13125550152', 'NO_ANSWER'));
		const filters = { missed: 'without', callType: ['outgoing'], minTalkSeconds: 9 };
		expect(await getMissed({ filters })).toHaveLength(1);
		expect(await getMissed({ filters: { outcomes: ['noAnswer'] } })).toHaveLength(1);
		await expect(getMissed({ filters: { outcomes: ['answered'] } })).rejects.toMatchObject({
			message: expect.stringContaining(
				"\"answered\" isn't a valid value for 'Outcomes'",
			) as unknown,
		});
	});

	it('stand in the list once, with what came after, also after the range', async () => {
		await add(...CALLS);
		expect(await getMissed()).toMatchObject([
			{ customerNumber: '12125550153', status: 'open', missedCalls: 1 },
			{ customerNumber: '13125550152', status: 'cameThrough' },
			{ customerNumber: '12125550151', status: 'calledBack', missedCalls: 2, calledBackBy: '102' },
		]);
	});

	it('are those who still wait for a call, up to the limit, and only of the calls that pass the filters', async () => {
		await add(...CALLS, ...lost('m5', 400, '12125550154'));
		const open = { onlyOpen: true };
		const callers = (items: IDataObject[]) => items.map(({ customerNumber }) => customerNumber);
		expect(callers(await getMissed(open))).toEqual(['12125550154', '12125550153']);
		expect(callers(await getMissed({ ...open, returnAll: false, limit: 1 }))).toEqual([
			'12125550154',
		]);
		const filters = { from: '12125550153, 12125550151' };
		expect(callers(await getMissed({ ...open, filters }))).toEqual(['12125550153']);
	});
});

describe('Period', () => {
	const before = getGlobalState();
	/** A zone where it is past noon now, so that no hour of the machine's day decides what is yesterday. */
	beforeAll(() => {
		const ahead = 12 - new Date().getUTCHours();
		setGlobalState({ defaultTimezone: `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}` });
	});
	afterAll(() => setGlobalState(before));

	it.each([
		['today', ['now']],
		['yesterday', ['yesterday']],
		['last7Days', ['now', 'yesterday', 'six days ago']],
	])('%s is told in days of the workflow', async (period, expected) => {
		const day = 24 * HOUR;
		const now = Math.floor(Date.now() / 1000);
		const midnight = now - ((now % HOUR) + 12 * HOUR) - NOON;
		const at = (id: string, second: number) => fromOutside(id, second, '12125550151', 9);
		await add(...at('now', now - NOON), ...at('yesterday', midnight - 600));
		await add(
			...at('six days ago', midnight - 6 * day + 12 * HOUR),
			...at('old', midnight - 9 * day),
		);
		expect(ids(await pbx.items('call:getMany', { returnAll: true, period }))).toEqual(expected);
	});
});
