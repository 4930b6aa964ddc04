import type { IDataObject } from 'n8n-workflow';

import { WAITS } from '../../nodes/VirtualPbx/triggers/callRecord/calls';
import { makeRecordTrigger, testCredential } from '../support/core';
import { usePbx } from '../support/sandbox';
import { TriggerBench } from '../support/trigger';

const CALL = { from: '89161234567', to: '12125550100', wait: 'delivered' } as const;
const RECORD = {
	BRIDGE_ID: 'c@10.0.0.5',
	CALL_DIRECTION: 'inbound',
	CALLER_ID_NUMBER: 'sip:89161234567@carrier.example',
	CALLEE_ID_NUMBER: '100',
};
const range = { after: '2026-11-20T00:00:00Z', before: '2026-11-21T00:00:00Z' };

describe('the country, in events', () => {
	let bench: TriggerBench;
	beforeAll(async () => void (bench = await TriggerBench.start()));
	afterEach(async () => {
		bench.credential.write({ country: '' });
		await bench.clear();
	});
	afterAll(async () => await bench.close());

	const active = async (parameters: IDataObject) => {
		const trigger = await bench.trigger({ events: ['ended'], ...parameters });
		await trigger.activate();
		return trigger;
	};
	const told = async (parameters: IDataObject) => {
		const trigger = await active(parameters);
		await bench.sandbox.call(CALL);
		return trigger.executions.flat();
	};

	it('makes numbers E.164, with what the PBX wrote in details; a change counts at once', async () => {
		bench.credential.write({ country: 'RU' });
		const trigger = await active({ options: { includeDetails: true } });
		await bench.sandbox.call(CALL);
		bench.credential.write({ country: 'DE' });
		await bench.sandbox.call(CALL);

		const [first, second] = trigger.executions.flat();
		expect(first).toMatchObject({
			customerNumber: '+79161234567',
			companyNumber: '+12125550100',
		});
		expect((first?.details as IDataObject).fromUri).toContain('89161234567');
		expect(second).not.toMatchObject({ customerNumber: '+79161234567' });
	});

	it('leaves raw events and extensions alone', async () => {
		bench.credential.write({ country: 'RU' });
		const [raw] = await told({ simplify: false });
		expect(JSON.stringify(raw)).not.toContain('+7916');
		await bench.clear();
		const trigger = await active({});
		await bench.sandbox.call({ ...CALL, from: '101', to: '102' });
		expect(trigger.executions.flat()).toMatchObject([
			{ customerNumber: null, employee: '101', companyNumber: null },
		]);
	});

	it('is refused by name before anything is registered', async () => {
		bench.credential.write({ country: 'Atlantis' });
		const follows = await bench.trigger({});
		await expect(follows.activate()).rejects.toThrow(
			/'Country for Phone Numbers' in the Virtual PBX credential isn't a known country: Atlantis/,
		);
		expect(bench.store.all().filter(({ uri }) => uri === follows.url())).toEqual([]);

		const test = await testCredential(bench.credential);
		expect(test).toMatchObject({ status: 'Error' });
		expect(test.message).toMatch(
			/'Country for Phone Numbers' in the Virtual PBX credential isn't a known country: Atlantis.* ISO code, such as DE/,
		);
	});
});

describe('the country, in call records', () => {
	const pbx = usePbx();
	beforeEach(async () => {
		const TIMESTAMP = String(Date.UTC(2026, 10, 20, 12) / 1000 + 62_167_219_200);
		await pbx.client.addRecords([{ ...RECORD, TIMESTAMP }]);
	});

	it('makes the numbers of records and calls E.164, and leaves the legs of a call as they came', async () => {
		pbx.credential.write({ country: 'RU' });
		const options = { includeDetails: true };
		const expected = {
			customerNumber: '+79161234567',
			companyNumber: '100',
			details: { from: '89161234567', fromUri: RECORD.CALLER_ID_NUMBER },
		};
		const [record] = await pbx.items('cdr:getMany', { returnAll: true, options });
		const callId = RECORD.BRIDGE_ID;
		const [call] = await pbx.items('call:get', { callId, ...range, options });

		expect(record).toMatchObject(expected);
		expect(call).toMatchObject(expected);
		expect((call?.details as IDataObject).legs).toMatchObject([{ from: '89161234567', to: '100' }]);
	});

	it.each(['newCall', 'newCallRecord'])(
		'of the credential counts in the record trigger: %s',
		async (event) => {
			WAITS.settleMs = 0;
			pbx.credential.write({ country: 'RU' });
			const start = { firstRun: 'since', since: range.after };
			const poll = async (more: IDataObject) => {
				const poller = await makeRecordTrigger({
					type: 'virtualPbxRecordTrigger',
					credential: pbx.credential,
					parameters: { event, ...start, ...more } as never,
				});
				return ((await poller.poll()) ?? []).map(({ customerNumber }) => customerNumber);
			};

			expect(await poll({})).toEqual(['+79161234567']);
			expect(await poll({ filters: { from: '+79161234567' } })).toEqual(['+79161234567']);
			pbx.credential.write({ country: '' });
			expect(await poll({})).toEqual(['89161234567']);
		},
	);
});
