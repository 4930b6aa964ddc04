import { forgetLogins } from '../../nodes/VirtualPbx/auth/exchange';
import type { TestTrigger } from '../support/core';
import { times } from '../support/release';
import { startScriptedPbx } from '../support/scriptedPbx';
import { TriggerBench } from '../support/trigger';

const ALL = ['channel_answer', 'channel_create', 'channel_destroy'];
const EVENTS = { events: ['started', 'answered', 'ended'] };
const PLAIN = { ...EVENTS, options: { pingsItself: false } };
const SWITCHED_OFF = { enabled: false, disable_reason: 'too many failed attempts' };
const CALL = { from: '74951234567', to: '74950000100', ring_seconds: 1, talk_seconds: 2 };
/** What the option Check Every is by default. */
const ONE_CHECK = 5;

let bench: TriggerBench;
beforeAll(async () => void (bench = await TriggerBench.start()));
afterEach(async () => await bench.clear());
afterAll(async () => await bench.close());

const faults = () => bench.sandbox.pbx.faults;
const requests = () => bench.sandbox.pbx.requests.list();
const active = async (parameters = PLAIN, more = {}) => {
	const trigger = await bench.trigger(parameters, more);
	await trigger.activate();
	bench.addForeign(trigger);
	return trigger;
};
const all = (trigger: TestTrigger) => bench.at(trigger.url());
/** Exactly one healthy webhook per event, all with the secret that n8n knows, and no other touched. */
const expectHealthy = (trigger: TestTrigger) => {
	expect(bench.hooks(trigger)).toEqual(ALL);
	expect(all(trigger).every(({ enabled }) => enabled)).toBe(true);
	expect(bench.secrets(trigger)).toEqual([trigger.staticData.secret]);
	bench.expectForeignUntouched();
};

describe('the check of an active trigger (§4.4)', () => {
	it('asks for one list where all is well, and writes nothing', async () => {
		const trigger = await active();
		await trigger.pass(ONE_CHECK);
		const before = requests().length;
		await trigger.pass(ONE_CHECK);
		const asked = requests().slice(before);
		expect(asked.map(({ method, path }) => [method, path.split('/').at(-1)])).toEqual([
			['GET', 'webhooks'],
		]);
		expect([trigger.log, trigger.notes, trigger.reported]).toEqual([[], [], []]);
		expectHealthy(trigger);
	});

	it.each<[string, (trigger: TestTrigger) => void, RegExp]>([
		[
			'switched off',
			(trigger) => all(trigger).forEach((one) => bench.store.put({ ...one, ...SWITCHED_OFF })),
			/Call Ended was disabled \(too many failed attempts\)/,
		],
		[
			'deleted',
			(trigger) => all(trigger).forEach(({ id }) => bench.store.remove(id)),
			/Call Answered was no longer registered, .*Call Started was no longer registered/,
		],
		[
			'edited',
			(trigger) => all(trigger).forEach((one) => bench.store.put({ ...one, custom_data: {} })),
			/Call Answered had been changed/,
		],
		[
			'doubled',
			(trigger) => all(trigger).forEach((one) => bench.store.put({ ...one, id: `${one.id}2` })),
			/Call Ended was registered twice/,
		],
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
		await trigger.deactivate();
		expect(all(trigger)).toEqual([]);
		bench.expectForeignUntouched();
	});

	it.each(['without_uri', 'brief'] as const)(
		'sees it although the list leaves much out: items %s',
		async (webhook_list) => {
			bench.sandbox.pbx.change({ webhook_list });
			const trigger = await active();
			await trigger.pass(ONE_CHECK);
			const [first, second] = all(trigger);
			if (first) bench.store.put({ ...first, ...SWITCHED_OFF });
			if (second) bench.store.remove(second.id);
			await trigger.pass(webhook_list === 'brief' ? ONE_CHECK : 13 * ONE_CHECK);
			expect(bench.hooks(trigger)).toHaveLength(3);
		},
	);

	it('tells why deliveries failed before the PBX switched a webhook off', async () => {
		bench.sandbox.pbx.change({ disable_after_failures: 1 });
		const trigger = await bench.trigger(PLAIN);
		await trigger.activate();
		trigger.failNext();
		await bench.sandbox.call(CALL);
		expect(all(trigger).map(({ enabled }) => enabled)).toContain(false);
		await trigger.pass(ONE_CHECK);
		expectHealthy(trigger);
		expect(trigger.log[0]).toMatch(
			/disabled \(too many failed attempts; the latest failed delivery: .*500/,
		);
	});

	it('makes all right although the log of attempts never answers', async () => {
		const trigger = await active();
		for (const one of all(trigger)) bench.store.put({ ...one, ...SWITCHED_OFF });
		faults().add({ kind: 'silent', path: '*/attempts' });
		const began = Date.now();
		await trigger.pass(ONE_CHECK);
		expect(Date.now() - began).toBeLessThan(8000);
		expectHealthy(trigger);
		expect(trigger.log).toEqual([expect.stringMatching(/Call Ended was disabled \(too many/)]);
	});

	it('delivers events again after it, to the same workflow', async () => {
		const trigger = await active();
		for (const one of all(trigger)) bench.store.put({ ...one, ...SWITCHED_OFF });
		await trigger.pass(ONE_CHECK);
		await bench.sandbox.call(CALL);
		expect(trigger.executions.map(([item]) => item?.event)).toEqual([
			'started',
			'answered',
			'ended',
		]);
	});

	it('goes on through a list that fails and a PBX that is down, and tells it when it lasts', async () => {
		const trigger = await active();
		const fault = faults().add({ kind: 'status', path: '*/webhooks', status: 400 });
		const [hook] = all(trigger);
		if (hook) bench.store.remove(hook.id);
		await trigger.pass(ONE_CHECK);
		expect(trigger.log).toEqual([
			expect.stringMatching(/could not be checked, so the trigger continues/),
		]);
		faults().remove(fault.id);
		const down = faults().add({ kind: 'status', path: '*/webhooks', status: 500 });
		await trigger.pass(ONE_CHECK + 1);
		expect(trigger.log).toHaveLength(2);
		expect(trigger.log[1]).toMatch(/could not be checked 3 times in a row/);
		await trigger.pass(3);
		expect(trigger.log).toHaveLength(2);
		faults().remove(down.id);
		await trigger.pass(1);
		expectHealthy(trigger);
		expect(trigger.notes.at(-1)).toMatch(/the webhooks can be checked again/);
	});

	it('goes on with a new token when the old one has ended', async () => {
		const trigger = await active();
		const [hook] = all(trigger);
		if (hook) bench.store.remove(hook.id);
		bench.sandbox.pbx.tokens.expire();
		await trigger.pass(ONE_CHECK);
		expectHealthy(trigger);
	});

	it('keeps what is healthy where a part cannot be put right, piles nothing up, and tries again', async () => {
		const trigger = await active();
		const [first, ...others] = all(trigger);
		if (first) bench.store.remove(first.id);
		const fault = faults().add({ kind: 'status', method: 'PUT', path: '*/webhooks', status: 400 });
		await trigger.pass(3 * ONE_CHECK);
		expect(all(trigger)).toEqual(others);
		expect(trigger.log).toEqual([
			expect.stringMatching(/could not be repaired: Call .* no longer registered/),
		]);
		faults().remove(fault.id);
		await trigger.pass(ONE_CHECK);
		expectHealthy(trigger);
	});

	it('takes back what the PBX does not keep', async () => {
		const trigger = await active();
		const fault = faults().add({ kind: 'webhook-disable', method: 'PUT', path: '*/webhooks' });
		const [first] = all(trigger);
		if (first) bench.store.remove(first.id);
		await trigger.pass(3 * ONE_CHECK);
		expect(all(trigger)).toHaveLength(2);
		faults().remove(fault.id);
		await trigger.pass(ONE_CHECK);
		expectHealthy(trigger);
	});

	it('does after n8n’s start what the PBX kept it from doing, a minute later', async () => {
		const trigger = await active();
		const fault = faults().add({ kind: 'status', path: '*/webhooks', status: 500 });
		await trigger.activate('init');
		for (const one of all(trigger)) bench.store.put({ ...one, ...SWITCHED_OFF });
		faults().remove(fault.id);
		await trigger.pass(1);
		expectHealthy(trigger);
	});

	it('holds n8n’s start up for 3 seconds at most where a silent PBX is checked later', async () => {
		const trigger = await active();
		faults().add({ kind: 'silent', path: '*/webhooks' });
		const began = Date.now();
		await trigger.activate('init');
		expect(Date.now() - began).toBeLessThan(4500);
		faults().clear();
		await trigger.pass(1);
		expectHealthy(trigger);
	});

	it('starts the error workflow where that is wanted', async () => {
		const options = { pingsItself: false, startsErrorWorkflow: true };
		const trigger = await active({ ...EVENTS, options });
		const [first] = all(trigger);
		if (first) bench.store.remove(first.id);
		await trigger.pass(2 * ONE_CHECK);
		expect(trigger.reported.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^the webhooks were repaired: /),
		]);
	});

	it('checks every so many minutes as chosen, and never with 0', async () => {
		const often = await active({
			...EVENTS,
			options: { pingsItself: false, checkMinutes: 2 } as never,
		});
		const before = requests().length;
		await often.pass(1);
		expect(requests()).toHaveLength(before);
		await often.pass(1);
		expect(requests().length).toBeGreaterThan(before);
		const never = await active({ ...EVENTS, options: { checkMinutes: 0 } as never });
		const now = requests().length;
		await never.pass(100);
		expect(requests()).toHaveLength(now);
	});

	it('registers with a new login when the credential was changed meanwhile', async () => {
		const trigger = await active();
		forgetLogins();
		bench.store.all().forEach(({ id }) => bench.store.remove(id));
		await trigger.pass(ONE_CHECK);
		expect(bench.hooks(trigger)).toEqual(ALL);
	});
});

describe('checks of one trigger', () => {
	it('never run twice at once, however slow the PBX is', async () => {
		const options = { pingsItself: false, checkMinutes: 1 } as never;
		const trigger = await active({ ...EVENTS, options });
		await trigger.pass(1);
		faults().add({ kind: 'latency', path: '*/webhooks', seconds: 0.2 });
		const before = requests().length;
		await Promise.all([trigger.pass(1), trigger.pass(1), trigger.pass(1)]);
		const lists = requests().slice(before);
		expect(lists).toHaveLength(1);
	});

	it('make right at the next start what a kill has left of a repair', async () => {
		const trigger = await active();
		for (const one of all(trigger)) bench.store.put({ ...one, ...SWITCHED_OFF });
		const fault = faults().add({ kind: 'drop', method: 'DELETE' });
		const saved = structuredClone(trigger.staticData);
		await trigger.pass(ONE_CHECK);
		expect(all(trigger).length).toBeGreaterThan(3);
		faults().remove(fault.id);
		trigger.staticData = saved;
		await trigger.activate('init');
		expectHealthy(trigger);
	});
});

describe('checks and deactivations', () => {
	const ROUNDS = times(12, 200);

	it(`race ${ROUNDS} times, and nothing is left after any`, async () => {
		const trigger = await bench.trigger(PLAIN);
		for (let round = 0; round < ROUNDS; round++) {
			await trigger.activate();
			for (const { id } of all(trigger)) bench.store.remove(id);
			const latency = { kind: 'latency', path: '*/webhooks', seconds: 0.005 } as const;
			faults().add(latency);
			const checking = trigger.pass(ONE_CHECK);
			await new Promise((resolve) => setTimeout(resolve, (round * 7) % 60));
			await trigger.deactivate();
			await checking;
			expect(all(trigger)).toEqual([]);
			faults().clear();
		}
		expect(trigger.log.filter((line) => !line.includes('were repaired'))).toEqual([]);
	}, 240_000);

	it('a check after the deactivation asks nothing', async () => {
		const trigger = await active();
		const checking = trigger.pass(ONE_CHECK - 1);
		await checking;
		await trigger.hook('delete');
		const before = requests().length;
		await trigger.pass(1);
		expect(requests()).toHaveLength(before);
		expect(all(trigger)).toEqual([]);
	});

	it('the end of a test event leaves the checks of production alone', async () => {
		const trigger = await active();
		await trigger.activate('manual', 'test');
		await trigger.deactivate('test');
		for (const { id } of all(trigger)) bench.store.remove(id);
		await trigger.pass(ONE_CHECK);
		expectHealthy(trigger);
	});
});

describe('the call of its own URL', () => {
	const OWN_URL = EVENTS as typeof PLAIN;

	it('says nothing where the URL leads here, and starts no execution', async () => {
		const trigger = await active(OWN_URL);
		await trigger.pass(2 * ONE_CHECK);
		expect([trigger.log, trigger.notes, trigger.executions]).toEqual([[], [], []]);
	});

	it('tells once that another server answers there', async () => {
		const other = await bench.trigger({});
		await other.activate();
		const deliveryUrl = `${bench.sandbox.url}/elsewhere`;
		const trigger = await active({ ...EVENTS, options: { deliveryUrl } as never });
		await trigger.pass(3 * ONE_CHECK);
		expect(trigger.log).toEqual([
			expect.stringMatching(/the PBX may not reach this trigger at .*elsewhere.*\(404\)/),
		]);
	});

	it('only notes that n8n cannot call the URL, until it could once', async () => {
		const trigger = await active({
			...EVENTS,
			options: { deliveryUrl: 'http://127.0.0.1:9', skipUrlCheck: true } as never,
		});
		await trigger.pass(2 * ONE_CHECK);
		expect(trigger.log).toEqual([]);
		expect(trigger.notes).toEqual([
			expect.stringMatching(/127\.0\.0\.1:9.* refuses the connection/),
		]);

		const worked = await active(OWN_URL);
		await worked.pass(ONE_CHECK);
		await worked.close();
		await worked.pass(ONE_CHECK);
		expect(worked.log).toEqual([expect.stringMatching(/may not reach this trigger/)]);
	});

	it.each([true, false])(
		'tells that the URL leads to another trigger, with Verify Deliveries %s there',
		async (verifyDeliveries) => {
			const other = await active({ ...OWN_URL, verifyDeliveries } as never);
			const front = await startScriptedPbx(({ body }) => ({
				raw: (response) =>
					void other
						.deliver({ body })
						.then((answer) => response.writeHead(answer.status).end(answer.body)),
			}));
			const options = { deliveryUrl: front.url } as never;
			const trigger = await active({ ...EVENTS, options });
			await trigger.pass(2 * ONE_CHECK);
			await front.close();
			expect(trigger.log).toEqual([expect.stringMatching(/may not reach this trigger/)]);
			await other.pass(ONE_CHECK);
			expect([other.log, other.executions]).toEqual([[], []]);
		},
	);

	it.each([true, false])(
		'is of no use to a stranger, with Verify Deliveries %s',
		async (verifyDeliveries) => {
			const trigger = await active({ ...OWN_URL, verifyDeliveries } as never);
			const stranger = { name: 'N8N_PING', args: { nonce: 'x' } };
			const { status, body } = await trigger.deliver({ body: stranger });
			expect(status).toBe(verifyDeliveries ? 401 : 200);
			expect(body).not.toMatch(/pong|proof/);
			expect(trigger.executions).toEqual([]);
		},
	);
});
