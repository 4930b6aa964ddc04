import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { forgetLogins } from '../../nodes/VirtualPbx/auth/exchange';
import type { TestTrigger } from '../support/core';
import { TriggerBench } from '../support/trigger';

/** What the option Check Every is by default. */
const ONE_CHECK = 5;
const OPTIONS = { pingsItself: false, startsErrorWorkflow: true };

let bench: TriggerBench;
beforeAll(async () => void (bench = await TriggerBench.start()));
afterEach(async () => await bench.clear());
afterAll(async () => await bench.close());

const faults = () => bench.sandbox.pbx.faults;
const active = async (options: IDataObject = {}) => {
	const events = ['started', 'answered', 'ended'];
	const trigger = await bench.trigger({ events, options: { ...OPTIONS, ...options } });
	await trigger.activate();
	return trigger;
};
/** Lets so many checks pass while the PBX answers each of them with another error. */
const refuse = async (
	trigger: TestTrigger,
	{ checks, minutes = ONE_CHECK }: { checks: number; minutes?: number },
	answer: (count: number) => { status: number; body?: unknown; method?: string },
) => {
	for (let count = 0; count < checks; count++) {
		const fault = faults().add({ kind: 'status', path: '*/webhooks', ...answer(count) });
		await trigger.pass(minutes);
		faults().remove(fault.id);
	}
};
const lose = (trigger: TestTrigger) => {
	const [first] = bench.at(trigger.url());
	if (first) bench.store.remove(first.id);
};

describe('a state that lasts is told once, however the PBX words it', () => {
	it.each<[string, (count: number) => { status: number; body?: unknown }]>([
		[
			'with a time and a request ID in its words',
			(count) => ({ status: 500, body: { message: `Failed at 10:0${count}, request ${count}a` } }),
		],
		['with 500 and 502 in turn', (count) => ({ status: count % 2 === 0 ? 500 : 502 })],
	])('an outage %s', async (_, answer) => {
		const trigger = await active();
		await refuse(trigger, { checks: 8 }, answer);
		expect(trigger.notes).toHaveLength(1);
		expect(trigger.log).toEqual([expect.stringMatching(/could not be checked 3 times in a row/)]);
		expect(trigger.reported).toHaveLength(1);
	});

	it('a repair that the PBX refuses', async () => {
		const trigger = await active();
		lose(trigger);
		await refuse(trigger, { checks: 5 }, (count) => ({
			status: 400,
			body: { message: `quota exceeded, request ${count}` },
			method: 'PUT',
		}));
		expect(trigger.log).toEqual([expect.stringMatching(/quota exceeded, request 0/)]);
		expect(trigger.reported).toHaveLength(1);
	});

	it('a refusal, which is serious from the first on', async () => {
		const trigger = await active();
		await refuse(trigger, { checks: 5 }, (count) => ({
			status: 403,
			body: { message: `no rights, request ${count}` },
		}));
		expect(trigger.log).toEqual([expect.stringMatching(/could not be checked, so/)]);
		expect(trigger.reported).toHaveLength(1);
	});

	it('and again when it comes back after all was well', async () => {
		const trigger = await active();
		for (const round of [1, 2]) {
			await refuse(trigger, { checks: 2 }, () => ({ status: 403 }));
			await trigger.pass(ONE_CHECK);
			expect(trigger.log).toHaveLength(round);
		}
		expect(trigger.notes).toHaveLength(2);
	});

	it('and another event that is lost meanwhile is told, too', async () => {
		const trigger = await active();
		const full = () => ({ status: 400, method: 'PUT' });
		lose(trigger);
		await refuse(trigger, { checks: 2 }, full);
		lose(trigger);
		await refuse(trigger, { checks: 2 }, full);
		expect(trigger.log).toHaveLength(2);
	});
});

describe('the secret of the webhooks', () => {
	const said = (trigger: TestTrigger) =>
		JSON.stringify([
			trigger.log,
			trigger.notes,
			trigger.reported.map((error) => [error.message, (error as NodeApiError).description]),
		]);

	it('is told by no check, whatever the PBX repeats', async () => {
		const trigger = await active();
		const secret = String(trigger.staticData.secret);
		const disable_reason = `could not send ${secret}`;
		for (const one of bench.at(trigger.url()))
			bench.store.put({ ...one, enabled: false, disable_reason });
		const attempts = faults().add({
			kind: 'status',
			path: '*/attempts',
			status: 200,
			body: {
				data: [{ result: 'failure', reason: `sent ${secret}`, client_error: `n=${secret}` }],
				status: 'success',
			},
		});
		const message = `invalid: {"n8n_webhook_secret":"${secret.slice(0, 52)}`;
		await refuse(trigger, { checks: 1 }, () => ({ status: 400, method: 'PUT', body: { message } }));
		faults().remove(attempts.id);
		await trigger.pass(ONE_CHECK);
		expect(trigger.log).toHaveLength(2);
		expect(trigger.reported).toHaveLength(2);
		expect(said(trigger)).toMatch(/could not send \*\*\*/);
		for (let start = 0; start + 8 <= secret.length; start += 8)
			expect(said(trigger)).not.toContain(secret.slice(start, start + 8));
	});
});

describe('a webhook that the PBX switches off in its own way', () => {
	it.each<IDataObject>([
		{ disabled: true },
		{ active: false },
		{ status: 'disabled' },
		{ state: 'suspended' },
		{ enabled: 'no' },
	])('is put right: %j', async (shown) => {
		const trigger = await active();
		await trigger.pass(ONE_CHECK);
		const [first] = bench.at(trigger.url());
		if (!first) return;
		const { enabled: _, ...rest } = first;
		bench.store.put({ ...rest, ...shown } as never);
		await trigger.pass(ONE_CHECK);
		expect(trigger.log).toEqual([expect.stringMatching(/repaired: Call .* was disabled/)]);
		expect(bench.at(trigger.url()).map(({ enabled }) => enabled)).toEqual([true, true, true]);
	});
});

describe('a credential that is gone or cannot be read', () => {
	it('is told once, with what to do, and starts the error workflow', async () => {
		const trigger = await active();
		const reading = jest.spyOn(bench.credential, 'read').mockImplementation(() => {
			throw new Error('Credential with ID "1" does not exist for type "virtualPbxApi".');
		});
		await trigger.pass(3 * ONE_CHECK);
		reading.mockRestore();
		expect(trigger.log).toEqual([
			expect.stringMatching(
				/^Virtual PBX Trigger ".*" in ".*": the webhooks could not be checked, so .* does not exist .*\. Check the credential of this node/,
			),
		]);
		expect(trigger.reported).toHaveLength(1);
		await trigger.pass(ONE_CHECK);
		expect(trigger.notes).toEqual([expect.stringMatching(/can be checked again/)]);
	});

	it('is told anew when something else is wrong with it', async () => {
		const trigger = await active();
		const credential = bench.credential.read();
		for (const name of ['login', 'realm', 'login']) {
			bench.credential.write({ ...credential, [name]: '' });
			await trigger.pass(ONE_CHECK);
		}
		bench.credential.write(credential);
		expect(trigger.log).toEqual([
			expect.stringMatching(/Login is empty/),
			expect.stringMatching(/Realm is empty/),
		]);
	});
});

it('a wrong password is tried at the set interval, since many a PBX locks such a user out', async () => {
	const trigger = await active();
	await trigger.pass(ONE_CHECK);
	const credential = bench.credential.read();
	bench.credential.write({ password: 'wrong', authToken: '' });
	forgetLogins();
	const before = bench.sandbox.pbx.requests.list().length;
	await trigger.pass(12 * ONE_CHECK);
	bench.credential.write(credential);
	const asked = bench.sandbox.pbx.requests.list().slice(before);
	expect(asked.filter(({ path }) => path.endsWith('/user_auth'))).toHaveLength(12);
	expect(trigger.log).toEqual([expect.stringMatching(/could not be checked, so/)]);
});
