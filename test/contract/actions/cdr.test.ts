import type { IDataObject } from 'n8n-workflow';

import { searchesOf, usePbx } from '../../support/sandbox';
import { onKazoo } from '../../support/profile';
import { unless } from '../../support/unless';

const pbx = usePbx();

const NOON = Date.UTC(2026, 10, 20, 12) / 1000;
const GREGORIAN_NOON = NOON + 62_167_219_200;

const add = async (...records: IDataObject[]) => await pbx.client.addRecords(records);
const at = (second: number, more: IDataObject = {}): IDataObject => ({
	TIMESTAMP: String(GREGORIAN_NOON + second),
	BRIDGE_ID: `${second}@10.0.0.5`,
	...more,
});
const queries = () => searchesOf(pbx);
const all = { returnAll: true, simplify: false };

describe('Get Many (§4.3)', () => {
	it('limits, and returns all', async () => {
		await add(...Array.from({ length: 60 }, (_, n) => at(n)));
		expect(await pbx.items('cdr:getMany', { limit: 7 })).toHaveLength(7);
		expect(await pbx.items('cdr:getMany')).toHaveLength(50);
		expect(await pbx.items('cdr:getMany', all)).toHaveLength(60);
	});

	it.each([
		['ISO with offset', '2026-11-20T15:00:00+03:00'],
		['Gregorian seconds', GREGORIAN_NOON],
		[
			'a picker in the time zone of the workflow',
			'={{ DateTime.fromISO("2026-11-20T12:00:00Z").setZone($now.zone).toFormat("yyyy-MM-dd\'T\'HH:mm:ss") }}',
		],
	])('reads After and Before from %s', async (_, after) => {
		await pbx.items('cdr:getMany', { after, before: GREGORIAN_NOON + 60 });
		expect(queries()).toEqual([
			{ created_from: String(GREGORIAN_NOON), created_to: String(GREGORIAN_NOON + 60) },
		]);
	});

	unless(onKazoo(), it)('filters by call and any field, written as the contract does', async () => {
		const field = [
			{ name: 'HANGUP_CAUSE', value: 'USER_BUSY' },
			{ name: 'custom_channel_vars.Owner-ID', value: 'o1' },
			{ name: 'filter_myField', value: 'x' },
		];
		const filters = { callId: 'a@b', fields: { field } };
		await pbx.items('cdr:getMany', { after: NOON, before: NOON + 60, filters });
		expect(queries()).toEqual([
			{
				...{ created_from: String(GREGORIAN_NOON), created_to: String(GREGORIAN_NOON + 60) },
				...{ filter_bridge_id: 'a@b', filter_hangup_cause: 'USER_BUSY', filter_myField: 'x' },
				'filter_custom_channel_vars.Owner-ID': 'o1',
			},
		]);
	});
});

describe('Get of a call', () => {
	const withDetails = { options: { includeDetails: true } };
	const call = { BRIDGE_ID: 'c1@10.0.0.5' };
	const legs = [at(0, call), at(60, call), at(61, call)];
	const range = { after: NOON - 60, before: NOON + 600 };

	it('finds it by an ID without the address, and leaves out what a PBX gives that ignores the filter', async () => {
		await add(...legs, at(7));
		const answer = { data: [...legs, at(7)] };
		pbx.sandbox.pbx.faults.add({ kind: 'status', path: '*/cdrs', status: 200, body: answer });
		const [item] = await pbx.items('call:get', { callId: 'c1', ...range, ...withDetails });
		expect(item?.details).toMatchObject({ legCount: 3 });
	});

	it('looks through the last day when no range is given', async () => {
		const now = Math.floor(Date.now() / 1000) - NOON;
		await add(at(now - 3600, call));
		const [item] = await pbx.items('call:get', { callId: 'c1@10.0.0.5', ...withDetails });
		expect(item?.details).toMatchObject({ legCount: 1 });
	});

	it('says that there is no such call', async () => {
		const { error } = await pbx.run('call:get', { callId: 'nope@x' });
		expect(error?.message).toContain('no record of the call nope@x');
	});
});

it('finds callers by several numbers and beginnings, within the limit', async () => {
	const callers = ['1710', '171 (IVANOVA MA)', 'sip:1712@h', '12125550171'];
	await add(...callers.map((CALLER_ID_NUMBER) => at(5, { CALLER_ID_NUMBER })));
	const find = async (callerNumber: string, limit = 50) => {
		const filters = { callerNumber };
		return await pbx.items('cdr:getMany', { after: NOON, before: NOON + 60, limit, filters });
	};
	expect(await find('1710, 1212*')).toHaveLength(2);
	expect(await find('171*')).toHaveLength(3);
	expect(await find('171*', 2)).toHaveLength(2);
});
