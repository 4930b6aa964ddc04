import { WAITS } from '../../../nodes/VirtualPbx/triggers/callRecord/candidates';
import { useClock } from '../../support/clock';
import { TriggerBench } from '../../support/trigger';
import { makeRecordTrigger } from '../../support/core';
import type { TestTrigger } from '../../support/core';
import { eventually } from '../../support/eventually';
import { usePbx } from '../../support/sandbox';

const CALL = { from: '74951234567', to: '74950000100' };
const CLICK = { kind: 'click_to_call', from: '100', to: '79995554433' } as const;

describe('on a PBX that shows only outbound legs, calls', () => {
	/** Rings two phones of one employee, then one after the other of a second one. */
	const GROUP = { from: '74951234567', to: '74950000400' };
	let bench: TriggerBench;
	let trigger: TestTrigger;
	const clock = useClock();
	const told = () => trigger.executions.flat();
	const reads = () =>
		bench.sandbox.pbx.requests.list().filter(({ row }) => row.endsWith('/cdrs')).length;

	beforeEach(async () => {
		bench = await TriggerBench.start({ profile: 'field' });
		trigger = await bench.trigger({ events: ['started', 'answered', 'ended', 'missed'] });
		await trigger.activate();
	});
	afterEach(async () => await bench.close());

	/** Places calls until the trigger has learned from their records what they are like. */
	async function learn(): Promise<void> {
		for (let call = 0; call < 3; call++) await bench.sandbox.call(CALL);
		expect(told()).toEqual([]);
		clock.pass(120_000);
		const before = reads();
		await bench.sandbox.call(CALL);
		await eventually(() => expect(reads()).toBeGreaterThan(before));
		await eventually(async () => {
			await bench.sandbox.call(CALL);
			expect(told()).not.toEqual([]);
		});
		trigger.executions.length = 0;
	}

	it('start it once per call and event, whoever of a group picks up, and with the ID of the call', async () => {
		await learn();
		const orders = [CALL, GROUP, { ...GROUP, answered_by: '102' }];
		const calls = [];
		for (const order of orders) calls.push(await bench.sandbox.call(order));
		expect(calls.map(({ legs }) => legs.length)).toEqual([2, 3, 4]);
		const all = calls.flatMap(({ first }) =>
			['started', 'answered', 'ended'].map((event) => `${event} ${first.callId}`),
		);
		expect(told().map(({ event, callId }) => `${String(event)} ${String(callId)}`)).toEqual(all);
		expect(
			told()
				.filter(({ event }) => event === 'ended')
				.map(({ outcome }) => outcome),
		).toEqual(['answered', 'answered', 'answered']);
	});

	it('start it by their inbound leg again from the moment when one comes', async () => {
		await learn();
		bench.sandbox.pbx.change({ legs: 'both' });
		for (let call = 0; call < 2; call++) await bench.sandbox.call(CALL);
		expect(told().map(({ event }) => event)).toEqual([
			'started',
			'answered',
			'ended',
			'started',
			'answered',
			'ended',
		]);
	});

	it('are asked for once in half a minute at most, and never hold up an answer', async () => {
		const slow = bench.sandbox.pbx.faults.add({ kind: 'latency', path: '*/cdrs', seconds: 8 });
		let answered = false;
		bench.sandbox.pbx.bus.listen((type, data) => {
			answered ||= type === 'request' && (data as { row: string }).row.endsWith('/cdrs');
		});
		for (let call = 0; call < 5; call++) await bench.sandbox.call(CALL);
		expect(slow.hits).toBe(1);
		expect(answered).toBe(false);
		expect(bench.sandbox.pbx.deliveries.list().every(({ status }) => status === 200)).toBe(true);
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
		const round = async (seconds: number) => {
			const call = await pbx.sandbox.call({ ...order, speed: 100 });
			clock.pass(seconds * 1000);
			for (let poll = 0; poll < 2; poll++) {
				told.push(...((await poller.poll()) ?? []).map(({ callId }) => callId));
				clock.pass(60_000);
			}
			return call.first.callId;
		};
		const ids: string[] = [];
		for (let count = 0; count < 3; count++) ids.push(await round(60));
		expect(told).toEqual(ids);
	});
});
