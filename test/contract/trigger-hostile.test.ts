import { MARK_NAME } from '../../nodes/VirtualPbx/events/secret';
import type { TestTrigger } from '../support/core';
import { times } from '../support/release';
import { TriggerBench } from '../support/trigger';
import { hostileDeliveries, sendAll } from '../support/trigger/hostile';

const COUNT = times(400, 10_000);
const WITH_SECRET = times(400, 2000);

describe('hostile deliveries to the event trigger', () => {
	let bench: TriggerBench;
	let trigger: TestTrigger;
	beforeAll(async () => {
		bench = await TriggerBench.start();
		trigger = await bench.trigger({
			events: ['started', 'answered', 'ended', 'missed'],
			options: { legs: 'everyLeg' },
		});
		await trigger.activate();
	});
	afterAll(async () => await bench.close());

	it(`start nothing, break nothing, and get no answer above 499: ${COUNT} of them`, async () => {
		const { statuses, above499 } = await sendAll(trigger.url(), hostileDeliveries(COUNT));

		expect(above499).toEqual([]);
		expect(Object.keys(statuses).every((status) => Number(status) >= 400)).toBe(true);
		expect(Object.values(statuses).reduce((sum, count) => sum + count)).toBe(COUNT);
		expect(trigger.executions).toEqual([]);
		expect(trigger.failures).toEqual([]);
		expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
		await bench.sandbox.call({ from: '74951234567', to: '74950000100' });
		expect(trigger.executions).toHaveLength(6);
	}, 120_000);

	it('with the right secret, too, start nothing when they are no events, and never break it', async () => {
		trigger.executions.length = 0;
		const secret = String(bench.secrets(trigger)[0]);
		const url = `${trigger.url()}?${MARK_NAME}=${secret}`;
		const kinds = [
			'malformed',
			'noise',
			'noise as a form',
			'wrong body',
			'deep',
			'deep lists',
			'many keys',
			'empty',
		];
		const some = [...hostileDeliveries(WITH_SECRET)].filter(({ kind }) => kinds.includes(kind));
		const all = [...hostileDeliveries(WITH_SECRET)];

		const { statuses } = await sendAll(url, some);
		expect(Object.keys(statuses).every((status) => /^4/.test(status))).toBe(true);
		expect(trigger.executions).toEqual([]);

		const { above499 } = await sendAll(url, all);
		expect(above499).toEqual([]);
		expect(trigger.failures).toEqual([]);
		expect(JSON.stringify(trigger.executions)).not.toContain(secret);
	}, 60_000);
});
