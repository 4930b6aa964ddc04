import { forgetOutages } from '../../nodes/VirtualPbx/transport/patience';
import type { CallflowPbx } from '../support/callflowPbx';
import { connectedTo, OLD_FLOW, startCallflowPbx } from '../support/callflowPbx';
import type { TestTrigger } from '../support/core';

/** What the option Check Every is by default. */
const ONE_CHECK = 5;

describe('the check of an active routing trigger', () => {
	let pbx: CallflowPbx;
	let trigger: TestTrigger;
	beforeAll(async () => (pbx = await startCallflowPbx()));
	afterAll(async () => await pbx.close());
	beforeEach(async () => {
		pbx.reset();
		forgetOutages();
		trigger = await pbx.makeTrigger();
	});
	afterEach(async () => await trigger.close());

	const connected = () => connectedTo(trigger.url(), OLD_FLOW);
	const callflow = () => pbx.store.get('cf1') ?? {};
	const down = () => {
		pbx.fault = () => ({ status: 500, body: {} });
	};
	const up = () => {
		pbx.fault = () => undefined;
	};

	it('asks for the callflow alone where all is well, and writes nothing', async () => {
		await trigger.activate();
		const before = pbx.requests.length;
		await trigger.pass(2 * ONE_CHECK);
		const asked = pbx.requests.slice(before);
		expect(asked.map(({ method }) => method)).toEqual(['GET', 'GET']);
		expect([trigger.log, trigger.notes, trigger.reported]).toEqual([[], [], []]);
	});

	it.each([
		[
			'taken out',
			() => pbx.store.set('cf1', { ...callflow(), flow: OLD_FLOW }),
			/no longer asks this node/,
		],
		['deleted with its callflow', () => pbx.store.delete('cf1'), /is deleted at the PBX/],
	])(
		'reports a pivot module that was %s, once, and puts nothing back',
		async (_, happen, words) => {
			await trigger.activate();
			happen();
			const before = structuredClone([...pbx.store]);
			await trigger.pass(3 * ONE_CHECK);
			expect([...pbx.store]).toEqual(before);
			expect(trigger.log).toEqual([expect.stringMatching(words)]);
		},
	);

	it('says so when all is well again', async () => {
		await trigger.activate();
		const whole = structuredClone(callflow());
		pbx.store.set('cf1', { ...whole, flow: OLD_FLOW });
		await trigger.pass(ONE_CHECK);
		pbx.store.set('cf1', whole);
		await trigger.pass(ONE_CHECK);
		expect(trigger.notes).toEqual([expect.stringMatching(/the callflow asks this node/)]);
	});

	it.each(['answers', 'is down'])(
		'only reports what was taken out while n8n was stopped, where the PBX %s at its start',
		async (state) => {
			await trigger.activate();
			pbx.store.set('cf1', { ...callflow(), flow: OLD_FLOW });
			if (state === 'is down') down();
			await trigger.activate('init');
			up();
			const told = trigger.log.length;
			await trigger.pass(3 * ONE_CHECK);
			expect(pbx.flowOf()).toEqual(OLD_FLOW);
			expect(trigger.log.slice(told)).toEqual([expect.stringMatching(/no longer asks this node/)]);
			await trigger.activate('init');
			expect(pbx.flowOf()).toEqual(OLD_FLOW);
			await trigger.activate();
			expect(pbx.flowOf()).toEqual(connected());
		},
	);

	it('reports it at n8n’s start where no check is wanted', async () => {
		trigger.setParameters({ options: { checkMinutes: 0 } });
		await trigger.activate();
		pbx.store.set('cf1', { ...callflow(), flow: OLD_FLOW });
		await trigger.activate('init');
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
		expect(trigger.log).toEqual([expect.stringMatching(/no longer asks this node/)]);
	});

	it('connects after n8n’s start what the PBX kept it from connecting', async () => {
		down();
		await trigger.activate('init');
		up();
		await trigger.pass(1);
		expect(pbx.flowOf()).toEqual(connected());
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});

	it('leaves it to a person where another workflow has taken the calls meanwhile', async () => {
		await trigger.activate();
		const other = connectedTo('https://other.example.com/webhook/other-1/routing', OLD_FLOW);
		pbx.store.set('cf1', { ...callflow(), flow: other });
		down();
		await trigger.activate('init');
		up();
		await trigger.pass(3);
		expect(pbx.flowOf()).toEqual(other);
		expect(trigger.log.at(-1)).toMatch(/is not connected: it asks another n8n workflow/);
	});

	it('goes on through a PBX that is down, notes it once, and looks again each minute', async () => {
		await trigger.activate();
		down();
		await trigger.pass(ONE_CHECK + 1);
		up();
		await trigger.pass(1);
		expect(trigger.log).toEqual([]);
		expect(trigger.notes).toEqual([
			expect.stringMatching(/could not be checked/),
			expect.stringMatching(/the callflow asks this node/),
		]);
	});

	it('tells an outage that lasts over three checks', async () => {
		trigger.setParameters({ options: { startsErrorWorkflow: true } });
		await trigger.activate();
		let count = 0;
		pbx.fault = () => ({ status: 500, body: { message: `failed, request ${++count}` } });
		await trigger.pass(10);
		expect(trigger.notes).toHaveLength(1);
		expect(trigger.log).toEqual([expect.stringMatching(/could not be checked 3 times in a row: /)]);
		expect(trigger.reported).toHaveLength(1);
	});

	it('tells once what lasts, however the PBX words it', async () => {
		await trigger.activate();
		let count = 0;
		pbx.fault = () => ({ status: 403, body: { message: `no rights, request ${++count}` } });
		await trigger.pass(5 * ONE_CHECK);
		expect(count).toBeGreaterThan(4);
		expect(trigger.log).toEqual([expect.stringMatching(/could not be checked/)]);
	});

	it('starts the error workflow where that is wanted, and never checks with 0', async () => {
		trigger.setParameters({ options: { startsErrorWorkflow: true } });
		await trigger.activate();
		pbx.store.set('cf1', { ...callflow(), flow: OLD_FLOW });
		await trigger.pass(2 * ONE_CHECK);
		expect(trigger.reported).toHaveLength(1);

		trigger.setParameters({ options: { checkMinutes: 0 } });
		await trigger.activate();
		const before = pbx.requests.length;
		await trigger.pass(100);
		expect(pbx.requests).toHaveLength(before);
	});

	it('tells that the credential is gone, once, and that it is there again', async () => {
		trigger.setParameters({ options: { startsErrorWorkflow: true } });
		await trigger.activate();
		const reading = jest.spyOn(pbx.account, 'read').mockImplementation(() => {
			throw new Error('Credential with ID "1" does not exist.');
		});
		await trigger.pass(3 * ONE_CHECK);
		reading.mockRestore();
		await trigger.pass(ONE_CHECK);
		expect(trigger.log).toEqual([
			expect.stringMatching(
				/^Virtual PBX Routing Trigger ".*" in ".*": whether callflow cf1 .*does not exist\. Check the credential/,
			),
		]);
		expect(trigger.reported).toHaveLength(1);
		expect(trigger.notes).toEqual([expect.stringMatching(/the callflow asks this node/)]);
	});

	it('asks a PBX that refuses at the set interval only, also where n8n’s start could not ask', async () => {
		await trigger.activate();
		down();
		await trigger.activate('init');
		let count = 0;
		pbx.fault = () => ({ status: 400, body: { count: ++count } });
		await trigger.pass(1 + 2 * ONE_CHECK);
		expect(count).toBe(3);
	});

	it('races deactivations, and the old flow is back after each', async () => {
		for (let round = 0; round < 10; round++) {
			await trigger.activate();
			pbx.store.set('cf1', { ...callflow(), flow: OLD_FLOW });
			await trigger.activate('init');
			const checking = trigger.pass(ONE_CHECK);
			await new Promise((resolve) => setTimeout(resolve, round * 4));
			await trigger.deactivate();
			await checking;
			expect(pbx.flowOf()).toEqual(OLD_FLOW);
		}
	}, 60_000);

	it('does not watch a node that is connected by hand', async () => {
		trigger.setParameters({ connect: 'manual' });
		const before = pbx.requests.length;
		await trigger.activate();
		await trigger.pass(2 * ONE_CHECK);
		expect(pbx.requests).toHaveLength(before);
	});
});
