import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { getGlobalState, setGlobalState } from 'n8n-workflow';

import { searchesOf, usePbx } from '../../support/sandbox';

const pbx = usePbx();

const NOON = Date.UTC(2026, 10, 20, 12) / 1000;
const GREGORIAN_NOON = NOON + 62_167_219_200;
const HOUR = 3600;

const add = async (...records: IDataObject[]) => await pbx.client.addRecords(records);
const queries = () => searchesOf(pbx);

/** A leg, with why it ended, or how long it was talked on. */
const leg = (
	...[id, second, direction, from, to, end]: [
		string,
		number,
		string,
		string,
		string,
		string | number,
	]
): IDataObject => ({
	TIMESTAMP: String(GREGORIAN_NOON + second),
	BRIDGE_ID: `${id}@10.0.0.5`,
	CALL_DIRECTION: direction,
	CALLER_ID_NUMBER: from,
	CALLEE_ID_NUMBER: to,
	HANGUP_CAUSE: typeof end === 'string' ? end : 'NORMAL_CLEARING',
	BILLING_SECONDS: String(typeof end === 'string' ? 0 : end),
});
/** A call from outside: the caller's leg, and that of the one phone it rang. */
const fromOutside = (id: string, second: number, from: string, end: string | number) => [
	leg(id, second - 1, 'outbound', `sip:${from}@carrier`, 'sip:100@demo', end),
	leg(id, second, 'inbound', `sip:${from}@carrier`, 'sip:12125550100@demo', end),
];
const toOutside = (id: string, second: number, [from, to]: [string, string], talk: number) =>
	['inbound', 'outbound'].map((direction) =>
		leg(id, second, direction, `${from} (IVANOVA)`, to, talk || 'NO_ANSWER'),
	);
const range = { period: 'range', after: NOON - HOUR, before: NOON + HOUR };
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
		expect(ids(await pbx.items('call:getMany', { period: 'range' }))).toEqual(['whole', 'old']);
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
