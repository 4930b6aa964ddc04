import type { IDataObject } from 'n8n-workflow';

import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/webhookTag';
import { nodeRuntimes } from '../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';
import { useClock } from '../support/clock';
import type { TestTrigger } from '../support/core';
import { eventually } from '../support/eventually';
import { TriggerBench } from '../support/trigger';
import { OddBench } from '../support/trigger/oddBench';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ONE_CHECK = 5;

/** Sends a delivery with a mark, as the PBX would, and gives the status of the answer. */
const send = async (trigger: TestTrigger, mark: unknown): Promise<number> => {
	const body = { name: 'CHANNEL_BRIDGE', args: {}, [TAG_NAME]: String(mark) };
	return (await trigger.deliver({ body })).status;
};

describe('deliveries after a new password', () => {
	let bench: TriggerBench;
	let trigger: TestTrigger;
	const clock = useClock();
	beforeAll(async () => void (bench = await TriggerBench.start()));
	beforeEach(async () => {
		trigger = await bench.trigger({ events: ['started', 'ended'] });
		await trigger.activate();
		await trigger.pass(1);
	});
	afterEach(async () => await bench.clear());
	afterAll(async () => await bench.close());

	const mark = () => bench.secrets(trigger)[0];
	const change = (password: string, isRight = true) => {
		if (isRight) bench.sandbox.pbx.firstAccount.identity.password = password;
		bench.credential.write({ password, authToken: '' });
	};

	it('are taken with the old secret, and the first one has the new one registered at once', async () => {
		const old = mark();
		change('another');
		expect(await send(trigger, old)).toBe(200);
		await eventually(() => expect(mark()).not.toBe(old));
		expect(bench.secrets(trigger)).toHaveLength(1);
		expect([await send(trigger, mark()), await send(trigger, old)]).toEqual([200, 200]);
		clock.pass(9 * MINUTE);
		expect(await send(trigger, old)).toBe(200);
		clock.pass(2 * MINUTE);
		expect([await send(trigger, old), await send(trigger, mark())]).toEqual([401, 200]);
		expect(trigger.log).toEqual([
			expect.stringMatching(/were repaired: Call Ended had an old secret, Call Started had an old/),
		]);
	});

	it('are not taken with the old secret for long once a tick has registered the new one', async () => {
		const old = mark();
		change('another');
		await trigger.pass(1);
		expect(mark()).not.toBe(old);
		expect(await send(trigger, old)).toBe(200);
		clock.pass(11 * MINUTE);
		expect(await send(trigger, old)).toBe(401);
	});

	it('are taken while the password is wrong, and a call while it is put right', async () => {
		const old = mark();
		change('wrong', false);
		await trigger.pass(2);
		expect(await send(trigger, old)).toBe(200);
		change('also wrong', false);
		clock.pass(23 * HOUR);
		expect(await send(trigger, old)).toBe(200);
		change('another');
		await trigger.pass(ONE_CHECK);
		expect(mark()).not.toBe(old);
		expect([await send(trigger, old), await send(trigger, mark())]).toEqual([200, 200]);
	});

	it('are taken for a day at most by a process that does not check, such as a webhook process', async () => {
		const old = mark();
		for (const { endpoints } of nodeRuntimes.values()) delete endpoints.production;
		change('another');
		expect(await send(trigger, old)).toBe(200);
		clock.pass(23 * HOUR);
		expect(await send(trigger, old)).toBe(200);
		clock.pass(2 * HOUR);
		expect(await send(trigger, old)).toBe(401);
	});

	it('are refused by a process that has never known the old secret', async () => {
		const old = mark();
		await trigger.restart();
		change('another');
		expect(await send(trigger, old)).toBe(401);
	});

	it.each([{ login: 'other' }, { realm: 'other.example' }])(
		'of another account are refused at once: %j',
		async (edit) => {
			const old = mark();
			bench.credential.write({ ...edit, authToken: '' });
			expect(await send(trigger, old)).toBe(401);
		},
	);

	it('that are forged make one check, not one each', async () => {
		const before = bench.requests();
		const forged = (mark() as string).replace(/[0-9a-f]{64}$/, 'f'.repeat(64));
		expect(await send(trigger, forged)).toBe(401);
		await eventually(() => expect(bench.requests()).toBeGreaterThan(before));
		await trigger.pass(1);
		const asked = bench.requests();
		for (let count = 0; count < 20; count++) expect(await send(trigger, forged)).toBe(401);
		await trigger.pass(ONE_CHECK - 2);
		expect([bench.requests(), trigger.log]).toEqual([asked, []]);
	});
});

/** Whether the webhooks carry the new secret, nothing at such a PBX shows. */
describe('a new password while n8n was down, on a PBX that hides custom data', () => {
	const bench = new OddBench();
	let refused: IDataObject[] = [];
	let isHidden = true;
	afterEach(async () => await bench.close());

	/** Publishes, and starts n8n again with another password: it takes the webhooks for its own. */
	const restartWithNewPassword = async (): Promise<string> => {
		refused = [];
		isHidden = true;
		await bench.start({
			details: ({ custom_data, ...rest }) => (isHidden ? rest : { ...rest, custom_data }),
			attempts: (id) => refused.filter(({ hook_id }) => hook_id === id || hook_id === 'any'),
		});
		await bench.trigger.activate();
		const [old] = marks();
		bench.credential.write({ password: 'another', authToken: '' });
		await bench.trigger.restart();
		const before = bench.writes();
		await bench.trigger.pass(1 + ONE_CHECK);
		expect(bench.writes()).toBe(before);
		return String(old);
	};
	const marks = () => bench.customData().map((data) => data[TAG_NAME]);
	const log401 = (hook_id: string, secondsAgo: number) => {
		const timestamp = Math.floor(Date.now() / 1000) - secondsAgo;
		refused = [{ hook_id, result: 'failure', resp_status_code: '401', timestamp }];
	};

	it.each<[string, (old: string) => string]>([
		['the old secret', (old) => old],
		[
			'the secret of a workflow that was imported anew',
			(old) => old.replace(/^[0-9a-f]{16}/, '0'.repeat(16)),
		],
	])('is noticed by the first delivery with %s, once', async (_, change) => {
		const old = await restartWithNewPassword();
		expect(await send(bench.trigger, change(old))).toBe(401);
		await eventually(() => expect(marks()).not.toContain(old));
		const [first] = marks();
		expect(await send(bench.trigger, first)).toBe(200);
		expect(bench.hooks()).toEqual(['channel_create', 'channel_destroy']);
		await eventually(() =>
			expect(bench.trigger.log).toEqual([expect.stringMatching(/Call Ended had an old secret/)]),
		);

		const writes = bench.writes();
		for (let count = 0; count < 5; count++) expect(await send(bench.trigger, old)).toBe(401);
		await bench.trigger.pass(2 * ONE_CHECK);
		expect(bench.writes()).toBe(writes);
		expect(await send(bench.trigger, first)).toBe(200);
	});

	it('is noticed by the log of the PBX, where another process has refused the delivery, once', async () => {
		const old = await restartWithNewPassword();
		log401('w2', 0);
		await bench.trigger.pass(ONE_CHECK);
		expect(marks()).not.toContain(old);
		expect(await send(bench.trigger, marks()[0])).toBe(200);
		const writes = bench.writes();
		log401('any', 0);
		await bench.trigger.pass(3 * ONE_CHECK);
		expect(bench.writes()).toBe(writes);
	});

	it('is tried again where the PBX does not let it', async () => {
		const old = await restartWithNewPassword();
		const { requests } = bench.pbx;
		bench.refuse = true;
		await send(bench.trigger, old);
		await eventually(() => expect(requests.at(-1)?.method).toBe('PUT'));
		await bench.trigger.pass(1);
		expect(marks()).toContain(old);
		bench.refuse = false;
		await bench.trigger.pass(1);
		expect(marks()).not.toContain(old);
		expect(bench.hooks()).toHaveLength(2);
	});

	it.each<[string, () => void]>([
		['an old failure of the log', () => log401('any', 3 * 3600)],
		['a delivery without our form', () => void send(bench.trigger, 'a word')],
		[
			'a refusal where the PBX shows that the secret is right',
			() => {
				isHidden = false;
				log401('any', 0);
			},
		],
	])('is not suspected because of %s', async (_, happen) => {
		await restartWithNewPassword();
		bench.credential.write({ password: 'secret-word', authToken: '' });
		await bench.trigger.restart();
		await bench.trigger.pass(1);
		const writes = bench.writes();
		happen();
		await bench.trigger.pass(2 * ONE_CHECK);
		expect(bench.writes()).toBe(writes);
	});

	it('is over with a publication, which registers anew what it cannot see', async () => {
		const old = await restartWithNewPassword();
		await bench.trigger.activate();
		expect(marks()).not.toContain(old);
		expect(bench.hooks()).toHaveLength(2);
	});
});
