import { TriggerBench } from '../../support/trigger';
import { makePoller } from '../../support/core';
import { startPbx } from '../../support/sandbox';

const CALL = { from: '74951234567', to: '74950000100' };
const CLICK = { kind: 'click_to_call', from: '100', to: '79995554433' } as const;

describe('on a PBX that shows only outbound legs, click-to-calls', () => {
	it('start the event trigger once per call and event', async () => {
		const bench = await TriggerBench.start({ profile: 'field' });
		const trigger = await bench.trigger({ events: ['started', 'answered', 'ended'] });
		await trigger.activate();
		const calls = [];
		for (let round = 0; round < 3; round++) calls.push(await bench.sandbox.call(CLICK));
		const told = trigger.executions.flat();
		await bench.close();
		expect(told.map(({ event }) => event)).toEqual(
			calls.flatMap(() => ['started', 'answered', 'ended']),
		);
	});

	it('start it once at their end', async () => {
		const bench = await TriggerBench.start({ profile: 'field' });
		const trigger = await bench.trigger({ events: ['ended'] });
		await trigger.activate();
		for (let round = 0; round < 3; round++) await bench.sandbox.call(CLICK);
		const told = trigger.executions.flat();
		await bench.close();
		expect(told.map(({ event }) => event)).toEqual(['ended', 'ended', 'ended']);
	});
});

describe.each([
	['calls whose inbound leg left no record', CALL],
	['click-to-calls', CLICK],
] as const)('on a PBX that shows only outbound legs, %s', (_, order) => {
	it('are told by the record trigger once each, soon when it has seen a few of them', async () => {
		const pbx = await startPbx({ settings: { profile: 'field' } });
		let ahead = 0;
		const real = Date.now.bind(Date);
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => real() + ahead);
		const poller = await makePoller({
			type: 'virtualPbxRecordTrigger',
			credential: pbx.credential,
			parameters: { options: { settleSeconds: 0.2 } },
		});
		await poller.poll();
		const told: unknown[] = [];
		const round = async (seconds: number) => {
			const call = await pbx.sandbox.call({ ...order, speed: 100 });
			ahead += seconds * 1000;
			for (let poll = 0; poll < 2; poll++) {
				told.push(...((await poller.poll()) ?? []).map(({ bridgeId }) => bridgeId));
				ahead += 60_000;
			}
			return call.first.callId;
		};
		const ids: string[] = [];
		for (let count = 0; count < 4; count++) ids.push(await round(2 * 3600));
		const early = await round(60);
		clock.mockRestore();
		await pbx.sandbox.close();
		expect(told).toEqual([...ids, early]);
	});
});
