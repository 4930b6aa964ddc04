import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { TAG_NAME, readTag } from '../../nodes/VirtualPbx/pbx/events/delivery';
import { useClock } from '../support/clock';
import type { TestTrigger } from '../support/core';
import { onKazoo } from '../support/profile';
import { times } from '../support/release';
import { TriggerBench } from '../support/trigger';
import type { Webhook } from '../support/trigger';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const EVENTS = { events: ['started', 'answered', 'ended'] };
const SWITCHED_OFF = { enabled: false, disable_reason: 'too many failed attempts' };
const CALL = { from: '12125550123', to: '12125550100', ring_seconds: 1, talk_seconds: 2 };
/** What the option Check Every is by default. */
const ONE_CHECK = 5;

const clock = useClock();
let bench: TriggerBench;
beforeAll(async () => void (bench = await TriggerBench.start()));
afterEach(async () => await bench.clear());
afterAll(async () => await bench.close());

const faults = () => bench.sandbox.pbx.faults;
const active = async (deliveryOptions: IDataObject = {}) => {
	const trigger = await bench.trigger({ ...EVENTS, deliveryOptions });
	await trigger.activate();
	bench.addForeign(trigger);
	return trigger;
};
const all = (trigger: TestTrigger) => bench.at(trigger.url());
const lose = (trigger: TestTrigger) => bench.store.remove(all(trigger)[0]?.id ?? '');
const change = (fields: Partial<Webhook>) => (trigger: TestTrigger) =>
	all(trigger).forEach((one) => bench.store.put({ ...one, ...fields }));
/** Exactly one healthy webhook per event, and no other touched. */
const expectHealthy = (trigger: TestTrigger) => {
	expect(bench.hooks(trigger)).toEqual(ALL);
	expect(all(trigger).every(({ enabled }) => enabled)).toBe(true);
	expect(bench.secrets(trigger)).toHaveLength(1);
	bench.expectForeignUntouched();
};

describe('the check of an active trigger (§4.4)', () => {
	it('writes and says nothing where all is well', async () => {
		const trigger = await active();
		const before = all(trigger);
		await trigger.pass(3 * ONE_CHECK);
		expect(all(trigger)).toEqual(before);
		expect([trigger.log, trigger.notes, trigger.reported]).toEqual([[], [], []]);
		expectHealthy(trigger);
	});

	const removeAll = (trigger: TestTrigger) =>
		all(trigger).forEach(({ id }) => bench.store.remove(id));
	const double = (trigger: TestTrigger) =>
		all(trigger).forEach((one) => bench.store.put({ ...one, id: `${one.id}2` }));
	it.each<[string, (trigger: TestTrigger) => void, RegExp]>([
		['switched off', change(SWITCHED_OFF), /Call Ended was disabled \(too many failed attempts\)/],
		['deleted', removeAll, /Call Answered wasn't registered, .*Call Started wasn't registered/],
		['edited', change({ custom_data: {} }), /Call Answered was changed/],
		['set to GET', change({ http_verb: 'get' }), /Call Answered was set to GET instead of POST/],
		['set to no tries', change({ retries: 0 }), /Call Started was set to 0 delivery attempts/],
		['doubled', double, /Call Ended was registered twice/],
		['sent elsewhere', change({ uri: 'http://127.0.0.1:9/' }), /Call Ended wasn't registered/],
	])('puts right what was %s, and says so once', async (_, disturb, words) => {
		const trigger = await active();
		await trigger.pass(ONE_CHECK);
		disturb(trigger);
		await trigger.pass(ONE_CHECK);
		expectHealthy(trigger);
		await trigger.pass(2 * ONE_CHECK);
		expectHealthy(trigger);
		expect(trigger.log).toEqual([
			expect.stringMatching(/^Virtual PBX Trigger ".*" in ".*": the webhooks were repaired: /),
		]);
		expect(trigger.log[0]).toMatch(words);
		expect(trigger.reported).toHaveLength(1);
		await bench.sandbox.call(CALL);
		expect(trigger.executions).toHaveLength(3);
		await trigger.deactivate();
		expect(all(trigger)).toEqual([]);
		bench.expectForeignUntouched();
	});

	it('tells why deliveries failed before the PBX switched a webhook off', async () => {
		bench.sandbox.pbx.change({ disable_after_failures: 1 });
		const trigger = await bench.trigger(EVENTS);
		await trigger.activate();
		trigger.failNext();
		await bench.sandbox.call(CALL);
		expect(all(trigger).map(({ enabled }) => enabled)).toContain(false);
		await trigger.pass(ONE_CHECK);
		expectHealthy(trigger);
		expect(trigger.log).toEqual([
			expect.stringMatching(/couldn't deliver an event of Call .*: .*500/),
			expect.stringMatching(/were repaired: Call .* was disabled/),
		]);
		await bench.sandbox.call(CALL);
		await trigger.pass(ONE_CHECK);
		// A Kazoo logs failures only, so no success ends one.
		const words = onKazoo() ? /are in order again/ : /delivers the events of .* again/;
		expect(trigger.notes).toContainEqual(expect.stringMatching(words));
	});

	it('comes every so many minutes as chosen, and never with 0', async () => {
		const often = await active({ checkMinutes: 2 });
		const before = bench.requests();
		await often.pass(1);
		expect(bench.requests()).toBe(before);
		await often.pass(1);
		expect(bench.requests()).toBeGreaterThan(before);
		await often.deactivate();
		const never = await active({ checkMinutes: 0 });
		const now = bench.requests();
		await never.pass(100);
		expect(bench.requests()).toBe(now);
	});

	it('never runs twice at once, however slow the PBX is', async () => {
		const trigger = await active({ checkMinutes: 1 });
		faults().add({ kind: 'latency', path: '*/webhooks', seconds: 0.2 });
		const lists = () => bench.requests('GET /accounts/:account_id/webhooks');
		const before = lists();
		await Promise.all([trigger.pass(1), trigger.pass(1), trigger.pass(1)]);
		expect(lists()).toBe(before + 1);
	});

	it('tries a wrong password at the set interval, since many a PBX locks such a user out', async () => {
		const trigger = await active();
		await trigger.restart();
		bench.credential.write({ password: 'wrong', authToken: '' });
		const before = bench.logins();
		await trigger.pass(4);
		expect(bench.logins()).toBe(before + 1);
	});
});

describe('what a check tells', () => {
	type Answer = (count: number) => { status: number; body?: unknown; method?: string };
	/** Lets so many checks pass while the PBX answers each of them with another error. */
	const refuse = async (trigger: TestTrigger, checks: number, answer: Answer) => {
		for (let count = 0; count < checks; count++) {
			const fault = faults().add({ kind: 'status', path: '*/webhooks', ...answer(count) });
			await trigger.pass(ONE_CHECK);
			faults().remove(fault.id);
		}
	};

	it.each<[string, Answer, RegExp]>([
		[
			'an outage with a request ID in its words, of 500 and 502 in turn',
			(count) => ({
				status: 500 + 2 * (count % 2),
				body: { message: `Failed, request ${count}a` },
			}),
			/couldn't be checked/,
		],
		[
			'a refusal',
			(count) => ({ status: 403, body: { message: `no rights, request ${count}` } }),
			/couldn't be checked.*more permissions/s,
		],
		[
			'a repair that the PBX refuses',
			(count) => ({ status: 400, body: { message: `full, request ${count}` }, method: 'PUT' }),
			/couldn't be repaired: Call .* wasn't registered.*full, request 0/s,
		],
	])('%s comes once, and once more when it has ended and comes again', async (_, answer, words) => {
		const trigger = await active();
		for (const round of [1, 2]) {
			lose(trigger);
			const healthy = all(trigger);
			await refuse(trigger, 4, answer);
			expect(all(trigger)).toEqual(healthy);
			expect(trigger.log.filter((line) => words.test(line))).toHaveLength(round);
			await trigger.pass(2 * ONE_CHECK);
			expectHealthy(trigger);
		}
		expect(trigger.notes.length).toBeGreaterThan(0);
	});

	it('never is the secret, whatever the PBX repeats', async () => {
		const trigger = await active();
		const { secret = '' } = readTag(String(bench.secrets(trigger)[0]))[0] ?? {};
		expect(secret).toHaveLength(64);
		const disable_reason = `could not send ${secret}`;
		for (const one of all(trigger)) bench.store.put({ ...one, enabled: false, disable_reason });
		await trigger.pass(ONE_CHECK);
		lose(trigger);
		await refuse(trigger, 1, () => ({
			status: 400,
			method: 'PUT',
			body: { data: { custom_data: { [TAG_NAME]: { message: `${secret} is odd` } } } },
		}));
		const said = JSON.stringify([
			trigger.log,
			trigger.notes,
			trigger.reported.map((error) => [error.message, (error as NodeApiError).description]),
		]);
		expect(said).toContain('could not send ***');
		expect(said).not.toContain(secret);
	});

	it('starts the error workflow, unless that is turned off', async () => {
		const trigger = await active({ startsErrorWorkflow: false });
		lose(trigger);
		await trigger.pass(ONE_CHECK);
		expect(trigger.log).toHaveLength(1);
		expect(trigger.reported).toEqual([]);
	});
});

/** By default, a real Kazoo logs failures only (`log_successful_attempts: false`). */
it.each([true, false])(
	'a failed delivery is told of once, and ends by itself after two hours, still logged: %s',
	async (isLogged) => {
		const failAt = (at: number) => {
			faults().clear();
			const [webhook] = bench.store.listening('channel_destroy');
			const attempt = { result: 'failure', resp_status_code: '502', timestamp: at / 1000 };
			const path = `*/${webhook?.id}/attempts`;
			faults().add({ kind: 'status', path, status: 200, body: { data: [attempt] } });
		};
		const trigger = await active();
		const failures = () =>
			trigger.log.filter((line) => line.includes("couldn't deliver an event of Call Ended"));
		failAt(Date.now());
		await trigger.pass(ONE_CHECK);
		if (!isLogged) faults().clear();
		await trigger.pass(2 * ONE_CHECK);
		expect([failures().length, trigger.notes]).toEqual([1, []]);
		clock.pass(2 * 3_600_000 + 1000);
		await trigger.pass(ONE_CHECK);
		expect(trigger.notes).toEqual([
			expect.stringMatching(/no delivery of Call Ended has failed for 2 hours/),
		]);
		failAt(Date.now() + 1000);
		await trigger.pass(ONE_CHECK);
		expect(failures()).toHaveLength(2);
	},
);

describe('checks and deactivations', () => {
	const ROUNDS = times(12, 200);

	it(`race ${ROUNDS} times, and nothing is left after any`, async () => {
		const trigger = await bench.trigger(EVENTS);
		for (let round = 0; round < ROUNDS; round++) {
			await trigger.activate();
			for (const { id } of all(trigger)) bench.store.remove(id);
			faults().add({ kind: 'latency', path: '*/webhooks', seconds: 0.005 });
			const checking = trigger.pass(ONE_CHECK);
			await new Promise((resolve) => setTimeout(resolve, (round * 7) % 60));
			await trigger.deactivate();
			await checking;
			expect(all(trigger)).toEqual([]);
			faults().clear();
		}
		expect(trigger.log.filter((line) => !line.includes('were repaired'))).toEqual([]);
	}, 240_000);

	it('a silent PBX holds a deactivation up for 28 seconds at most, and the log says what stays', async () => {
		const trigger = await active();
		faults().add({ kind: 'latency', path: '*/webhooks' });
		const timeout = AbortSignal.timeout.bind(AbortSignal);
		const deadlines = jest.spyOn(AbortSignal, 'timeout');
		deadlines.mockImplementation((ms) => timeout(ms / 28));
		const began = Date.now();
		await trigger.deactivate();
		deadlines.mockRestore();
		expect(Date.now() - began).toBeLessThan(20_000);
		expect(trigger.log.at(-1)).toMatch(/might still be registered/);
	});
});
