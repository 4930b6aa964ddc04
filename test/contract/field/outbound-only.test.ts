import { WAITS } from '../../../nodes/VirtualPbx/triggers/callRecord/calls';
import { useClock } from '../../support/clock';
import { TriggerBench } from '../../support/trigger';
import { makeRecordTrigger } from '../../support/core';
import { credentialOf } from '../../support/operate';
import { usePbx } from '../../support/sandbox';
import { SANDBOX_LOGIN } from '../../../tools/sandbox-client';

const CALL = { from: '12125550123', to: '12125550100' };
const CLICK = { kind: 'click_to_call', from: '100', to: '17185550144' } as const;

describe('on a PBX that reports only outbound legs, calls', () => {
	/** Rings two phones of one employee, then one after the other of a second one. */
	const GROUP = { from: '12125550123', to: '12125550104' };
	let bench: TriggerBench;
	const start = async (reportedLegs: string) => {
		bench = await TriggerBench.start({ profile: 'field' });
		const credential = await credentialOf(bench.sandbox, { ...SANDBOX_LOGIN, reportedLegs });
		const trigger = await bench.trigger(
			{ events: ['started', 'answered', 'ended', 'missed'] },
			{ credential },
		);
		await trigger.activate();
		return () => trigger.executions.flat();
	};
	afterEach(async () => await bench.close());

	it('start the workflow once per call and event, whoever of a group picks up', async () => {
		const told = await start('phones');
		const calls = [];
		for (const order of [CALL, GROUP, { ...GROUP, answered_by: '102' }])
			calls.push(await bench.sandbox.call(order));
		expect(calls.map(({ legs }) => legs.length)).toEqual([2, 3, 4]);
		const expected = calls.flatMap(({ first: { callId } }) =>
			['started', 'answered', 'ended'].map((event) => ({ event, callId })),
		);
		expect(told()).toMatchObject(expected);
		const ended = told().filter(({ event }) => event === 'ended');
		expect(ended.every(({ outcome }) => outcome === 'answered')).toBe(true);
	});

	it('start nothing unless the credential says so', async () => {
		const told = await start('all');
		for (let call = 0; call < 4; call++) await bench.sandbox.call(CALL);
		expect(told()).toEqual([]);
	});
});

describe.each([
	['calls whose inbound leg left no record', CALL],
	['click-to-calls', CLICK],
] as const)('on a PBX that shows only outbound legs, %s', (_, order) => {
	const clock = useClock();
	const pbx = usePbx({ settings: { profile: 'field' } });

	it('are told by the record trigger once each and soon, if the credential says that only phones have legs', async () => {
		WAITS.settleMs = 0;
		pbx.credential.write({ reportedLegs: 'phones' });
		const poller = await makeRecordTrigger({
			type: 'virtualPbxRecordTrigger',
			credential: pbx.credential,
		});
		await poller.poll();
		const told: unknown[] = [];
		const ids: string[] = [];
		for (let count = 0; count < 3; count++) {
			const call = await pbx.sandbox.call({ ...order, speed: 100 });
			ids.push(call.first.callId);
			for (let poll = 0; poll < 2; poll++) {
				clock.pass(60_000);
				told.push(...((await poller.poll()) ?? []).map(({ callId }) => callId));
			}
		}
		expect(told).toEqual(ids);
	});
});
