import type { IDataObject } from 'n8n-workflow';
import {
	CALLFLOW,
	connectedTo,
	OLD_FLOW,
	pivotAt,
	startCallflowPbx,
	watchWarnings,
} from '../support/callflowPbx';
import type { CallflowPbx } from '../support/callflowPbx';
import type { TestTrigger } from '../support/core';

const PRODUCTION = 'http://production.example/';
const STAGING = 'http://staging.example/';
const PATH = 'webhook/route-1/routing';
const SKIPS = { options: { skipUrlCheck: true } };
const USER = { module: 'user', data: { id: 'u2' }, children: {} };

let pbx: CallflowPbx;
let warnings: string[];
const open: TestTrigger[] = [];
const make = async (...input: Parameters<CallflowPbx['makeTrigger']>) => {
	const [parameters = {}, rest = {}] = input;
	const trigger = await pbx.makeTrigger(
		{ ...SKIPS, ...parameters },
		{ instanceUrl: PRODUCTION, ...rest },
	);
	open.push(trigger);
	return trigger;
};
const posts = () => pbx.requests.filter(({ method }) => method === 'POST').length;

beforeAll(async () => (pbx = await startCallflowPbx()));
afterAll(async () => await pbx.close());
beforeEach(() => {
	pbx.reset();
	warnings = watchWarnings();
});
afterEach(async () => {
	jest.restoreAllMocks();
	for (const trigger of open.splice(0)) {
		trigger.moveTo(PRODUCTION);
		await trigger.deactivate();
		await trigger.close();
	}
});

describe('the pivot node of a production of which this n8n is a copy', () => {
	let trigger: TestTrigger;
	const production = connectedTo(`${PRODUCTION}${PATH}`, OLD_FLOW);

	beforeEach(async () => {
		trigger = await make();
		await trigger.activate();
		expect(pbx.flowOf()).toEqual(production);
		trigger.moveTo(STAGING);
	});

	it.each([
		['at the start', async () => await trigger.activate('init')],
		['at a change of the leader', async () => await trigger.activate('leadershipChange')],
		['when it is deactivated', async () => await trigger.deactivate()],
		[
			'at the start without static data',
			async () => {
				trigger.staticData = {};
				await trigger.activate('init');
			},
		],
		[
			'when it is deactivated after its start',
			async () => {
				await trigger.activate('init');
				await trigger.deactivate();
			},
		],
		[
			'when another callflow is chosen and published',
			async () => {
				trigger.setParameters({ callflowId: 'cf2' });
				await trigger.activate('update');
				await trigger.deactivate();
				expect(pbx.flowOf('cf2')).toEqual(OLD_FLOW);
			},
		],
		[
			'when it is set to Manually and published',
			async () => {
				trigger.setParameters({ connect: 'manual' });
				await trigger.deactivate();
				await trigger.activate('update');
			},
		],
	])('stays %s', async (_, happen) => {
		await happen();
		expect(pbx.flowOf()).toEqual(production);
	});

	it('is reported with what to do', async () => {
		await trigger.activate('init');
		expect(warnings).toEqual([
			expect.stringMatching(
				/callflow cf1 is not connected: it asks production\.example\/webhook\/route-1\/routing, .*publish the workflow again/,
			),
		]);
	});

	it('gets no other in front of it at a start, even when production has gone', async () => {
		pbx.setFlow(OLD_FLOW);
		await trigger.activate('init');
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});

	it('is replaced when a person activates, since n8n may have moved', async () => {
		await trigger.activate('init');
		await trigger.activate('activate');
		expect(pbx.flowOf()).toEqual(connectedTo(`${STAGING}${PATH}`, OLD_FLOW));
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});

	it('is one with the pivot node of the new address afterwards, where both stood in a row', async () => {
		pbx.setFlow(connectedTo(`${STAGING}${PATH}`, production));
		trigger.setParameters({ options: { ...SKIPS.options, requestTimeout: 7 } });
		await trigger.activate('activate');
		expect(pbx.flowOf()).toEqual({
			...connectedTo(`${STAGING}${PATH}`, OLD_FLOW),
			data: { ...pivotAt(`${STAGING}${PATH}`), req_timeout: '7' },
		});
	});
});

describe('what an older version has recorded', () => {
	const record = (webserver: string, oldFlow: IDataObject = OLD_FLOW) => ({
		connection: { callflowId: 'cf1', webserver, oldFlow },
	});

	it('is taken over where the pivot node is at the present address', async () => {
		pbx.setFlow(connectedTo(`${PRODUCTION}${PATH}`));
		const trigger = await make({}, { staticData: record(`production.example/${PATH}`) });
		await trigger.activate('init');
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});

	it('follows a changed address of n8n when a person activates', async () => {
		const flow = connectedTo(`http://old.example/${PATH}`, OLD_FLOW);
		pbx.setFlow(flow);
		const trigger = await make({}, { staticData: record(`old.example/${PATH}`) });
		await trigger.activate('init');
		expect(pbx.flowOf()).toEqual(flow);
		await trigger.activate('activate');
		expect(pbx.flowOf()).toEqual(connectedTo(trigger.url(), OLD_FLOW));
	});

	it.each([
		['of another node', record('old.example/webhook/route-9/routing')],
		[
			'of another workflow',
			{ connection: { ...record(`old.example/${PATH}`).connection, owner: 'w9/n9' } },
		],
	])('counts for nothing %s that had the same name', async (_, staticData) => {
		const url = `http://${staticData.connection.webserver}`;
		pbx.setFlow(connectedTo(url, OLD_FLOW));
		const trigger = await make({}, { staticData });
		await trigger.deactivate();
		await trigger.activate('activate');
		expect(pbx.flowOf()).toEqual(connectedTo(trigger.url(), connectedTo(url, OLD_FLOW)));
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(connectedTo(url, OLD_FLOW));
	});
});

describe('two workflows with one path', () => {
	it('leaves the pivot node of the one when n8n deletes the other, which never connected', async () => {
		const [first, second] = [await make(), await make()];
		await first.activate();
		await second.deactivate();
		expect(pbx.flowOf()).toEqual(connectedTo(first.url(), OLD_FLOW));
		await first.deactivate();
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});

	it('asks the PBX nothing for a workflow that never connected', async () => {
		const earlier = pbx.requests.length;
		await (await make()).deactivate();
		expect(pbx.requests.length).toBe(earlier);
	});

	it('leaves the pivot node of the one that n8n has started, whoever connected it before', async () => {
		const [first, second] = [await make(), await make()];
		await first.activate();
		await second.activate('init');
		await first.deactivate();
		expect(pbx.flowOf()).toEqual(connectedTo(first.url(), OLD_FLOW));
		await second.deactivate();
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});
});

describe('several copies of the pivot node in one callflow', () => {
	let trigger: TestTrigger;
	const inBranches = (day: IDataObject, night: IDataObject): IDataObject => ({
		module: 'temporal_route',
		data: { rules: [{ id: 'r1' }] },
		children: { day, _: { module: 'menu', data: {}, children: { '7': night } } },
	});
	const own = (old?: IDataObject) => connectedTo(trigger.url(), old);

	beforeEach(async () => {
		trigger = await make();
		await trigger.activate();
	});

	it('are all taken out, each with what is behind it', async () => {
		pbx.setFlow(inBranches(own(OLD_FLOW), own(USER)));
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(inBranches(OLD_FLOW, USER));
	});

	it('all get the right parameters', async () => {
		pbx.setFlow(inBranches(own(OLD_FLOW), own(USER)));
		trigger.setParameters({ options: { ...SKIPS.options, requestTimeout: 8 } });
		await trigger.activate('update');
		const changed = (old: IDataObject) => ({
			...own(old),
			data: { ...pivotAt(trigger.url()), req_timeout: '8' },
		});
		expect(pbx.flowOf()).toEqual(inBranches(changed(OLD_FLOW), changed(USER)));
	});

	it('are right only when all of them are', async () => {
		const changed = { ...own(USER), data: { ...pivotAt(trigger.url()), req_timeout: '1' } };
		pbx.setFlow(inBranches(own(OLD_FLOW), changed));
		await trigger.activate('init');
		expect(pbx.flowOf()).toEqual(inBranches(own(OLD_FLOW), own(USER)));
	});

	it.each<[string, () => IDataObject, IDataObject]>([
		['behind each other', () => own(own(own(USER))), USER],
		[
			'in a list of children',
			() => ({ module: 'x', children: [own(USER), own()] }) as IDataObject,
			{ module: 'x', children: [USER] },
		],
		[
			'without a child, in a branch',
			() => inBranches(own(OLD_FLOW), own()),
			{
				module: 'temporal_route',
				data: { rules: [{ id: 'r1' }] },
				children: { day: OLD_FLOW, _: { module: 'menu', data: {}, children: {} } },
			},
		],
		['behind each other without a child, at the root', () => own(own()), OLD_FLOW],
	])('are taken out %s', async (_, flow, expected) => {
		pbx.setFlow(flow());
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(expected);
	});

	it('stay where they have further children, while the others are taken out', async () => {
		const stays = { ...own(USER), children: { _: USER, '404': OLD_FLOW } };
		pbx.setFlow(inBranches(own(OLD_FLOW), stays));
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(inBranches(OLD_FLOW, stays));
		expect(warnings.join()).toContain('the pivot node now has other children');
	});
});

describe('a callflow that held the pivot node before it was connected', () => {
	const strict = () => {
		pbx.fault = ({ method, body }) => {
			const flow = ((body ?? {}) as { data?: { flow?: object } }).data?.flow ?? {};
			return method === 'POST' && Object.keys(flow).length === 0 ? { status: 400 } : undefined;
		};
	};
	it.each([
		['with the right parameters', {}],
		['with other parameters', { req_timeout: '9' }],
	])('is as it was after deactivation, %s', async (_, data) => {
		strict();
		const trigger = await make();
		const before = {
			...connectedTo(trigger.url()),
			data: { ...pivotAt(trigger.url()), ...data },
		};
		pbx.setFlow(before);
		await trigger.activate();
		expect(pbx.flowOf()).toEqual(connectedTo(trigger.url()));
		await trigger.activate('init');
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(before);
		expect(warnings.filter((text) => text.includes('again'))).toEqual([]);
	});

	it('keeps it in a branch that holds nothing else', async () => {
		const trigger = await make();
		const before = { module: 'menu', data: {}, children: { '1': connectedTo(trigger.url()) } };
		pbx.setFlow(before);
		await trigger.activate();
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(before);
		expect(warnings.join()).toContain('stays unchanged');
	});
});

describe('a callflow that another workflow routes', () => {
	const other = connectedTo('https://other.example/webhook/0b6/routing', OLD_FLOW);

	it('is connected by a person, with a warning that says who is asked first', async () => {
		pbx.setFlow(other);
		const trigger = await make();
		await trigger.activate();
		expect(pbx.flowOf()).toEqual(connectedTo(trigger.url(), other));
		expect(warnings).toEqual([
			expect.stringContaining(
				'callflow cf1 also asks other.example/webhook/0b6/routing: the PBX asks this workflow first',
			),
		]);
	});

	it('is told to the workflow that came behind, too', async () => {
		const [first, second] = [await make(), await make({}, { webhookId: 'route-2' })];
		await first.activate();
		await second.activate();
		warnings.length = 0;
		await first.activate('init');
		expect(warnings.join()).toContain('the PBX asks that workflow first');
	});

	it('is not connected at the start of n8n', async () => {
		pbx.setFlow(other);
		const earlier = posts();
		await (await make()).activate('init');
		expect(posts()).toBe(earlier);
		expect(warnings.join()).toContain('asks another n8n workflow');
	});
});

describe('a PBX that shows a pivot node in another form', () => {
	it('counts as connected, and as keeping it', async () => {
		pbx.keep = (flow) => {
			if (flow.module !== 'pivot') return flow;
			const data = { ...(flow.data as IDataObject), method: 'get', req_timeout: 5 };
			return { stick_node: false, ...flow, data };
		};
		const trigger = await make();
		await trigger.activate();
		const earlier = posts();
		await trigger.activate('init');
		expect(posts()).toBe(earlier);
		await trigger.deactivate();
		expect(pbx.store.get('cf1')).toEqual(CALLFLOW);
	});
});

describe('a routing trigger that the PBX asks at an address of its own', () => {
	const options = { ...SKIPS.options, deliveryUrl: 'http://pbx-side.example/n8n' };
	const address = `http://pbx-side.example/n8n/${PATH}`;

	it('is connected, checked, known at the next start, and disconnected by that address', async () => {
		const trigger = await make({ options });
		await trigger.activate();
		expect(pbx.flowOf()).toEqual(connectedTo(address, OLD_FLOW));
		const earlier = posts();
		await trigger.activate('init');
		expect(posts()).toBe(earlier);
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});

	it('is refused with an address that is none', async () => {
		const trigger = await make({ options: { ...options, deliveryUrl: 'x' } });
		await expect(trigger.activate()).rejects.toThrow('Delivery URL "x" is not a web address');
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});
});
