import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/delivery';
import { forgetLogins } from '../../nodes/VirtualPbx/pbx/login';
import type { TestTrigger } from '../support/core';
import { TriggerBench } from '../support/trigger';

/** Sends a delivery with a mark, as the PBX would, and gives the status of the answer. */
const send = async (trigger: TestTrigger, mark: unknown): Promise<number> => {
	const body = { name: 'CHANNEL_BRIDGE', args: {}, [TAG_NAME]: String(mark) };
	return (await trigger.deliver({ body })).status;
};

describe('the secret of deliveries', () => {
	let bench: TriggerBench;
	let trigger: TestTrigger;
	beforeAll(async () => void (bench = await TriggerBench.start()));
	beforeEach(async () => {
		bench.credential.write({ webhookSecret: '' });
		trigger = await bench.trigger({ events: ['started', 'ended'] });
		await trigger.activate();
	});
	afterEach(async () => await bench.clear());
	afterAll(async () => await bench.close());

	const mark = () => bench.secrets(trigger)[0];

	it('is random, and the credential keeps it from the first login on', async () => {
		const { webhookSecret } = bench.credential.read();
		expect(webhookSecret).toMatch(/^[\da-f]{64}$/);
		expect(String(mark())).not.toContain(String(webhookSecret));
		expect(await send(trigger, mark())).toBe(200);
		bench.credential.write({ webhookSecret: '', authToken: '' });
		forgetLogins();
		await trigger.activate();
		expect(bench.credential.read().webhookSecret).not.toBe(webhookSecret);
	});

	it('outlives a new password, and a restart', async () => {
		const old = mark();
		bench.sandbox.pbx.firstAccount.identity.password = 'another';
		bench.credential.write({ password: 'another', authToken: '' });
		expect(await send(trigger, old)).toBe(200);
		await trigger.restart();
		await trigger.pass(1);
		expect([mark(), await send(trigger, old), trigger.log]).toEqual([old, 200, []]);
	});

	it('is another one for a copy of the workflow, whose deliveries neither takes for the other', async () => {
		const copy = await bench.trigger({ events: ['ended'] }, { workflow: { id: 'copy' } });
		await copy.activate();
		expect(await send(copy, mark())).toBe(401);
		expect(await send(trigger, bench.secrets(copy)[0])).toBe(401);
	});

	it.each([{ login: 'other' }, { realm: 'other.example' }])(
		'of another account is refused at once: %j',
		async (edit) => {
			const old = mark();
			bench.credential.write({ ...edit, authToken: '' });
			expect(await send(trigger, old)).toBe(401);
		},
	);

	it('that someone removed from the credential is made again, and registered within a minute', async () => {
		const trigger = await bench.trigger({ deliveryOptions: { checkMinutes: 0 } });
		await trigger.activate();
		const [old] = bench.secrets(trigger);
		// Another process, or a restart: this one would store the same again.
		forgetLogins();
		bench.credential.write({ webhookSecret: '' });
		expect(await send(trigger, old)).toBe(401);
		await trigger.pass(1);
		const [fresh] = bench.secrets(trigger);
		expect(fresh).not.toBe(old);
		expect(await send(trigger, fresh)).toBe(200);
		expect(trigger.log).toEqual([expect.stringMatching(/Call Ended had an old secret/)]);
	});

	it('never is an empty one', async () => {
		bench.credential.write({ webhookSecret: '' });
		expect(await send(trigger, `${'0'.repeat(16)}.${'0'.repeat(64)}`)).toBe(401);
		expect(await send(trigger, '')).toBe(401);
	});
});
