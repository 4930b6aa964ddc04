import type { IDataObject } from 'n8n-workflow';

import { WAITS } from '../../nodes/VirtualPbx/triggers/callRecord/calls';
import { makeRecordTrigger } from '../support/core';
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
	beforeEach(async () => {
		bench = await TriggerBench.start();
		bench.credential.write({ country: 'RU' });
	});
	afterEach(async () => await bench.close());

	it('makes numbers E.164, with what the PBX wrote in details; a change counts at once', async () => {
		const trigger = await bench.trigger({ events: ['ended'], options: { includeDetails: true } });
		await trigger.activate();
		await bench.sandbox.call(CALL);
		await bench.sandbox.call({ ...CALL, from: '101', to: '102' });
		bench.credential.write({ country: 'DE' });
		await bench.sandbox.call(CALL);
		const fromUri = expect.stringContaining('89161234567');
		expect(trigger.executions.flat()).toMatchObject([
			{ customerNumber: '+79161234567', companyNumber: '+12125550100', details: { fromUri } },
			{ customerNumber: null, employee: '101', companyNumber: null },
			{ customerNumber: expect.not.stringContaining('+7916') },
		]);
	});

	it('leaves raw events alone', async () => {
		const trigger = await bench.trigger({ events: ['ended'], simplify: false });
		await trigger.activate();
		await bench.sandbox.call(CALL);
		expect(trigger.executions).toHaveLength(1);
		expect(JSON.stringify(trigger.executions)).not.toContain('+7916');
	});

	it('is refused by name before anything is registered', async () => {
		bench.credential.write({ country: 'Atlantis' });
		const trigger = await bench.trigger({});
		await expect(trigger.activate()).rejects.toThrow(
			/'Country for Phone Numbers' in the Virtual PBX credential isn't a known country: Atlantis.* ISO code, such as DE/,
		);
		expect(bench.hooks(trigger)).toEqual([]);
	});
});

describe('the country, in call records', () => {
	const pbx = usePbx();
	beforeEach(async () => {
		pbx.credential.write({ country: 'RU' });
		const TIMESTAMP = String(Date.UTC(2026, 10, 20, 12) / 1000 + 62_167_219_200);
		await pbx.client.addRecords([{ ...RECORD, TIMESTAMP }]);
	});

	it('makes the numbers of records and calls E.164, and leaves the legs of a call as they came', async () => {
		const options = { includeDetails: true };
		const details = { from: '89161234567', fromUri: RECORD.CALLER_ID_NUMBER };
		const expected = { customerNumber: '+79161234567', companyNumber: '100', details };
		expect(await pbx.items('cdr:getMany', { returnAll: true, options })).toMatchObject([expected]);
		const legs = [{ from: '89161234567', to: '100' }];
		expect(
			await pbx.items('call:get', { callId: RECORD.BRIDGE_ID, ...range, options }),
		).toMatchObject([{ ...expected, details: { ...details, legs } }]);
	});

	it.each(['newCall', 'newCallRecord'])(
		'of the credential counts in the record trigger: %s',
		async (event) => {
			WAITS.settleMs = 0;
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
