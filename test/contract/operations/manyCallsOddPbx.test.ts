import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { forgetLogins } from '../../../nodes/VirtualPbx/auth/exchange';
import { runNode, storeCredential } from '../../support/core';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { SeenRequest, ScriptedAnswer, ScriptedPbx } from '../../support/scriptedPbx';

const NOON = Date.UTC(2026, 10, 20, 12) / 1000;
const GREGORIAN_NOON = NOON + 62_167_219_200;
const DAY = 86_400;

let pbx: ScriptedPbx;
afterEach(async () => await pbx.close());

type Answer = (request: SeenRequest) => ScriptedAnswer;

async function get(parameters: INodeParameters, answer: Answer) {
	forgetLogins();
	pbx = await startScriptedPbx((request) =>
		request.path.endsWith('/cdrs') ? answer(request) : undefined,
	);
	const login = { login: 'd', password: 'p', realm: 'r' };
	const credential = await storeCredential({ baseUrl: pbx.url, ...login });
	const { items, error } = await runNode({
		type: 'virtualPbx',
		credential,
		parameters: {
			resource: 'call',
			operation: 'getMany',
			period: 'range',
			options: { includeDetails: true },
			...parameters,
		},
	});
	return { error: error as Error | undefined, ids: items.map(({ callId }) => callId), items };
}

/** Two legs of each call, one call an hour, newest first. */
const callsOf = (hours: number): IDataObject[] =>
	Array.from({ length: hours }, (_, hour) =>
		['inbound', 'outbound'].map((direction) => ({
			call_direction: direction,
			bridge_id: `c${hour}`,
			timestamp: GREGORIAN_NOON - hour * 3600,
			billing_seconds: 30,
			caller_id_number: '74951234567',
			hangup_cause: 'NORMAL_CLEARING',
		})),
	).flat();
const inRange = (records: IDataObject[], { query }: SeenRequest) =>
	records.filter(({ timestamp }) => {
		const time = Number(timestamp);
		return time >= Number(query.get('created_from')) && time <= Number(query.get('created_to'));
	});
const hours = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => `c${from + index}`);

describe('Get Many of calls on an odd PBX (§4.3)', () => {
	it('leaves out what lies outside the range where the PBX ignores it', async () => {
		const { ids } = await get({ returnAll: true, after: NOON - 4 * 3600, before: NOON }, () => ({
			body: { data: callsOf(10) },
		}));
		expect(ids).toEqual(hours(1, 5));
	});

	it('gives a call once that the PBX lists page by page, its legs on two pages', async () => {
		const records = callsOf(5);
		const { ids, items } = await get(
			{ returnAll: true, after: NOON - DAY, before: NOON + 1 },
			({ query }) => {
				const start = Number(query.get('start_key') ?? 0);
				const next = start + 3 < records.length ? { next_start_key: String(start + 3) } : {};
				return { body: { data: records.slice(start, start + 3), ...next } };
			},
		);
		expect(ids).toEqual(hours(0, 5));
		expect(items.every(({ details }) => (details as IDataObject).legCount === 2)).toBe(true);
	});

	it('reads in days where the PBX refuses more, and looks up a call that may go on beyond', async () => {
		const alone: IDataObject = {
			...callsOf(1)[1],
			bridge_id: 'alone',
			timestamp: GREGORIAN_NOON - 2 * DAY,
		};
		const records = [...callsOf(72), alone];
		const { ids } = await get(
			{ returnAll: true, after: NOON - 3 * DAY, before: NOON },
			(request) => {
				const { query } = request;
				const length = Number(query.get('created_to')) - Number(query.get('created_from'));
				if (length > DAY) return { status: 400, body: { message: 'range too long' } };
				return { body: { data: inRange(records, request) } };
			},
		);
		expect(ids).toHaveLength(72);
		expect(new Set(ids).size).toBe(72);
		expect(ids).toContain('alone');
	});

	it('fails with the words of a PBX that refuses every range', async () => {
		const { error } = await get({ after: NOON - DAY, before: NOON }, () => ({
			status: 400,
			body: { message: 'no records here' },
		}));
		expect(error?.message).toContain('Call records could not be read');
	});

	it('reads no more than the newest day for a few calls', async () => {
		const records = callsOf(24 * 20);
		const { ids } = await get(
			{ limit: 3, after: NOON - 20 * DAY, before: NOON + 1 },
			(request) => ({ body: { data: inRange(records, request) } }),
		);
		expect(ids).toEqual(hours(0, 3));
		expect(pbx.seen('GET', '/cdrs')).toHaveLength(1);
	});

	it.each<[string, unknown]>([
		['nonsense', [1, null, 'x', [], { a: 1 }]],
		['records without anything', [{}, {}, { bridge_id: '' }]],
	])('survives %s in the list', async (_, data) => {
		const { error } = await get({ after: NOON - DAY, before: NOON }, () => ({ body: { data } }));
		expect(error).toBeUndefined();
	});
});
