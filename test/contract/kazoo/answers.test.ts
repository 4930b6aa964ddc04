import type { IDataObject } from 'n8n-workflow';
import { storeCredential } from '../../support/core';
import type { TestTrigger } from '../../support/core';
import { usePbx } from '../../support/sandbox';
import { startRoutingTrigger } from '../../support/trigger/routing';

const NUMBER = '12125550102';

const pbx = usePbx({ settings: { profile: 'kazoo', local_addresses: 'accept', speed: 1000 } });
let trigger: TestTrigger;
const account = () => pbx.sandbox.pbx.firstAccount;
const user = (extension: string) => account().user({ extension }) ?? { id: '', devices: [] };
const callflowOf = (number: string) => account().callflows.match(number)?.id;
const asked = () => pbx.sandbox.pbx.requests.list().map(({ method, row }) => row ?? method);

beforeEach(async () => {
	const id = callflowOf(NUMBER) ?? '';
	trigger = await startRoutingTrigger(pbx.credential, id, { responseMode: 'onReceived' });
});
afterEach(async () => await trigger.close());

/** Returns the trigger's response to a routing request, with these steps as its answer. */
async function answerWith(step: IDataObject[]) {
	trigger.setParameters({ fallback: { step } } as never);
	const { status, body, headers } = await trigger.deliver({ method: 'GET' });
	const reason = headers.get('x-routing-reason');
	return { status, answer: JSON.parse(body) as IDataObject, reason };
}

describe('a routing answer for Kazoo', () => {
	it('has the module and ID of each kind of step, and of the callflow of any other extension', async () => {
		const extension = '12125550103';
		const elsewhere = { id: callflowOf(extension) ?? '' };
		const mailbox = { id: account().mailboxId(user('100') as never), action: 'compose' };
		const once = { timeout: 7, strategy: 'single' };
		const steps: Array<[IDataObject, string, IDataObject]> = [
			[
				{ type: 'extension', extension: '101', ringing: once },
				'user',
				{ ...once, id: user('101').id },
			],
			[{ type: 'id', id: 'u1', ringing: { delay: 2 } }, 'user', { id: 'u1', delay: 2 }],
			// A device rings alone.
			[{ type: 'device', id: 'd1', ringing: once }, 'device', { id: 'd1', timeout: 7 }],
			[{ type: 'voicemail', extension: '100' }, 'voicemail', mailbox],
			[{ type: 'hangup' }, 'hangup', {}],
			[{ type: 'play', filename: 'welcome.wav' }, 'play', { id: account().soundId('welcome.wav') }],
			[{ type: 'play', filename: 'https://a.example/b' }, 'play', { id: 'https://a.example/b' }],
			[{ type: 'callflow', extension }, 'callflow', elsewhere],
			[{ type: 'extension', extension }, 'callflow', elsewhere],
		];
		for (const [step, module, data] of steps) {
			const answer = { module, data, children: {} };
			expect(await answerWith([step])).toEqual({ status: 200, answer, reason: null });
		}
	});

	it("finds an extension whose callflow has more numbers, which Kazoo's filter misses", async () => {
		const { id } = account().callflows.match('12125550103') ?? { id: '' };
		const flow = { module: 'user', data: { id: user('101').id }, children: {} };
		const numbers = ['12125550103', '501'];
		account().callflows.put({ ...account().callflows.get(id), numbers, flow } as never);
		const { answer } = await answerWith([{ type: 'extension', extension: '501' }]);
		expect(answer).toMatchObject({ module: 'user', data: { id: user('101').id } });
	});

	it('runs its steps in order, each as the child of the one before, and asks each question once', async () => {
		const step = [
			{ type: 'play', filename: 'welcome.wav' },
			{ type: 'extension', extension: '102' },
			{ type: 'extension', extension: '102' },
			{ type: 'voicemail', extension: '102' },
		];
		pbx.sandbox.pbx.requests.clear();
		const { answer } = await answerWith(step.slice(0, 3));
		const ring = { module: 'user', data: { id: user('102').id } };
		expect(answer).toMatchObject({
			module: 'play',
			children: { _: { ...ring, children: { _: { ...ring, children: {} } } } },
		});
		expect(asked().filter((row) => row.includes('/callflows'))).toEqual([
			'GET /accounts/:account_id/callflows',
			'GET /accounts/:account_id/callflows/:id',
		]);
		// This employee has no mailbox.
		const { status, reason } = await answerWith(step);
		expect([status, reason]).toEqual([503, 'Step 4 (voicemail): the account has no mailbox 102']);
	});

	const number = '12125550103';
	it.each<[string, IDataObject[]]>([
		[
			'Step 1 (call user by extension): no callflow of the account has the number 999',
			[{ type: 'extension', extension: '999' }],
		],
		[
			'Step 1 (play file): the account has no sound file named "x.wav"',
			[{ type: 'play', filename: 'x.wav' }],
		],
		[
			"Step 1 (go to callflow): it must be the last step, since Kazoo doesn't return from another callflow",
			['callflow', 'extension'].map((type) => ({ type, extension: '100' })),
		],
		[
			`Step 1 (call user by extension): extension ${number} leads to no user or device, so it can only be the last step, without ringing settings`,
			[{ type: 'extension', extension: number, ringing: { timeout: 5 } }],
		],
	])(
		'is refused at the publication, or with the status on which calls go on: %s',
		async (reason, step) => {
			const refused = { status: 503, answer: { operations: [] }, reason };
			expect(await answerWith(step)).toEqual(refused);
			const before = structuredClone(account().callflows.match(NUMBER));
			await expect(trigger.activate()).rejects.toThrow(`'Fallback' isn't valid: ${reason}`);
			expect(account().callflows.match(NUMBER)).toEqual(before);
		},
	);

	it('gets the fallback if the PBX does not return the IDs in time', async () => {
		pbx.sandbox.pbx.faults.add({ kind: 'latency', path: '*/callflows', seconds: 90 });
		const before = performance.now();
		const { status: said } = await answerWith([{ type: 'extension', extension: '101' }]);
		expect(said).toBe(503);
		// Kazoo waits 5 s, and a busy machine takes longer.
		expect(performance.now() - before).toBeLessThan(30_000);
	});
});

describe('a trigger that someone connected by hand', () => {
	const step = [{ type: 'extension', extension: '101' }];
	const manual = { connect: 'manualKazoo', fallback: { step }, responseMode: 'onReceived' };
	it('answers a Kazoo with a flow, if it says that a Kazoo asks', async () => {
		const before = structuredClone(account().callflows.match(NUMBER));
		trigger.setParameters(manual as never);
		await trigger.activate();
		const { status, body } = await trigger.deliver({ method: 'GET' });
		expect([status, JSON.parse(body)]).toMatchObject([200, { data: { id: user('101').id } }]);
		expect(account().callflows.match(NUMBER)).toEqual(before);
	});

	it('is not published with a credential of another platform, and would answer with no operations', async () => {
		pbx.credential.write({ dialect: 'contract' });
		trigger.setParameters(manual as never);
		const words = "'Connect' is set to Kazoo, but 'API' in the Virtual PBX credential isn't";
		await expect(trigger.activate()).rejects.toThrow(words);
		const { status, body } = await trigger.deliver({ method: 'GET' });
		expect([status, JSON.parse(body)]).toEqual([503, { operations: [] }]);
	});
});

it('while the credential can’t be read, a Kazoo goes on in the callflow, and never gets operations', async () => {
	const read = jest.spyOn(pbx.credential, 'read').mockImplementation(() => {
		throw new Error('Credentials could not be decrypted');
	});
	const { status, answer, reason } = await answerWith([{ type: 'id', id: 'u1' }]);
	read.mockRestore();
	expect([status, answer]).toEqual([503, { operations: [] }]);
	expect(reason).toContain("The platform isn't known");
});

describe('a call that Kazoo sends to a routing trigger', () => {
	const call = async () => await pbx.sandbox.call({ from: '12125550123', to: NUMBER });

	it('goes where the steps say, with the IDs that Kazoo has for them', async () => {
		trigger.setParameters({ fallback: { step: [{ type: 'extension', extension: '100' }] } });
		await trigger.activate();
		expect((await call()).bridged?.callee.number).toBe('100');
		expect(pbx.sandbox.pbx.routing.list()).toMatchObject([
			{ status: 200, problems: [], outcome: 'executed', warnings: [] },
		]);
		await trigger.deactivate();
		expect((await call()).bridged?.callee.number).not.toBe('100');
	});

	it('goes on in the callflow for steps that cannot be carried out', async () => {
		const step = [{ type: 'extension', extension: '={{ $json.query["Call-ID"] }}' }];
		trigger.setParameters({ fallback: { step } });
		await trigger.activate();
		await call();
		const [asking] = pbx.sandbox.pbx.routing.list();
		expect(asking).toMatchObject({ status: 503, outcome: 'child' });
	});
});

it('a routing trigger with the platform of the contract is not published on Kazoo, and says what to choose', async () => {
	const credential = await storeCredential({ ...pbx.credential.read(), dialect: 'contract' });
	const id = callflowOf(NUMBER) ?? '';
	const other = await startRoutingTrigger(credential, id);
	const before = structuredClone(account().callflows.get(id));
	await expect(other.activate()).rejects.toThrow(
		/invalid client URL.*doesn't know {dflow}.*set 'API' to 'Kazoo \(\/v2\)'/,
	);
	expect(account().callflows.get(id)).toEqual(before);
	await other.close();
});
