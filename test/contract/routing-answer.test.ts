import type { IDataObject } from 'n8n-workflow';

import { startCallflowPbx } from '../support/callflowPbx';
import type { TestNode, TestTrigger } from '../support/core';
import { runNode, runWorkflow, startTrigger, makeNodeType } from '../support/core';
import { eventually } from '../support/eventually';

const ROUTING = { resource: 'routing', operation: 'buildAnswer' };
const STEPS = { step: [{ type: 'extension', extension: '100' }] };

const build = async (step: IDataObject[], items: IDataObject[]) => {
	const parameters = { ...ROUTING, steps: { step } } as never;
	return await runNode({ type: 'virtualPbx', parameters, items });
};

describe('Build Answer', () => {
	it('builds every kind of step in order, without a credential, with expressions in every field', async () => {
		const ringing = { timeout: '={{ $json.seconds }}', delay: 0, strategy: 'single' };
		const step = [
			{ type: 'extension', extension: '={{ $json.owner }}', ringing },
			{ type: 'extension', extension: '={{ "007" }}' },
			{ type: 'id', id: '={{ $json.user }}', ringing: { strategy: 'simultaneous' } },
			{ type: '={{ "device" }}', id: 'd1' },
			{ type: 'voicemail', extension: '={{ 100 }}' },
			{ type: 'callflow', extension: '200' },
			{ type: 'play', filename: 'welcome.wav' },
		];
		const { items, error } = await build(step, [{ owner: 101, seconds: '20', user: 'u1' }]);
		expect(error).toBeUndefined();
		const operations = [
			{ type: 'extension', extension: 101, timeout: 20, delay: 0, strategy: 'single' },
			{ type: 'extension', extension: '007' },
			{ type: 'id', id: 'u1', strategy: 'simultaneous' },
			{ type: 'device', id: 'd1' },
			{ type: 'voicemail', extension: '100' },
			{ type: 'callflow', extension: '200' },
			{ type: 'play', filename: 'welcome.wav' },
		];
		expect(items).toEqual([{ operations }]);
	});

	it('refuses what breaks a rule and names the step and the item', async () => {
		const { error } = await build([{ type: 'device', id: '={{ $json.id }}' }], [{ id: 'd' }, {}]);
		expect(error).toMatchObject({
			message: "Step 1 (call device): 'ID' is empty",
			context: { itemIndex: 1 },
		});
	});
});

describe('Respond', () => {
	const respond = (parameters: IDataObject = {}) => ({
		type: 'virtualPbx',
		name: 'Respond',
		parameters: { resource: 'routing', operation: 'respond', steps: STEPS, ...parameters } as never,
	});
	/** n8n passes items on through a trigger, as if a call had started it. */
	const run = async (
		responseMode: string,
		items: IDataObject[],
		parameters: IDataObject = {},
		more: TestNode[] = [],
	) => {
		const waiting = { connect: 'manual', responseMode, fallback: STEPS };
		const trigger = { type: 'virtualPbxRoutingTrigger', name: 'Route', parameters: waiting };
		const nodes = [trigger, respond(parameters), ...more];
		return await runWorkflow({ nodes, items, mode: 'webhook' });
	};
	const from = (ms: number) => ({ answerBefore: new Date(Date.now() + ms).toISOString() });
	const inTime = from(60_000);
	const operations = [{ type: 'extension', extension: '100' }];

	it('sends the answer once, and gives it to the nodes behind', async () => {
		const outcome = await run('responseNode', [inTime, inTime]);
		expect(outcome.error).toBeUndefined();
		expect(outcome.responses).toMatchObject([{ body: { operations }, statusCode: 200 }]);
		expect(outcome.nodes.Respond?.items).toHaveLength(1);
	});

	it('makes one answer of operations in several items', async () => {
		const steps = ['a', 'b'].map((id) => ({ type: 'id', id }));
		const { responses } = await run('responseNode', steps, { specifyAnswer: 'json' });
		expect(responses).toMatchObject([{ body: { operations: steps } }]);
	});

	it.each([
		['responseNode', 1],
		['lastNode', 0],
	])(
		'gives an answer that is late by its own clock alone, and hints at it: %s',
		async (mode, sent) => {
			const outcome = await run(mode, [from(-1500)]);
			expect(outcome.error).toBeUndefined();
			expect(outcome.responses).toHaveLength(sent);
			expect(outcome.nodes.Respond).toMatchObject({
				items: [{ operations }],
				hints: [expect.stringMatching(/^By this machine's clock, the answer was \d+\.\d s late/)],
			});
		},
	);

	it('is refused in the middle of a workflow whose trigger waits for the last node', async () => {
		const next = { type: 'virtualPbx', name: 'Next', parameters: { ...ROUTING, steps: STEPS } };
		expect((await run('lastNode', [inTime], {}, [next])).error?.message).toBe(
			'"Route" doesn\'t wait for this node',
		);
	});

	it('is refused where no call waits', async () => {
		const { error } = await runNode(respond());
		expect(error?.message).toBe('No call is waiting for an answer');
		expect(error).toMatchObject({
			description: expect.stringContaining(
				'Start this workflow with a Virtual PBX Call Routing Trigger',
			),
		});
	});
});

describe('the routing trigger', () => {
	let trigger: TestTrigger;
	beforeEach(async () => {
		trigger = await startTrigger({
			type: 'virtualPbxRoutingTrigger',
			parameters: { connect: 'manual', responseMode: 'lastNode', fallback: STEPS },
		});
	});
	afterEach(async () => await trigger.close());
	const query = { 'Call-ID': 'c1', From: '1646@demo', To: '100@demo', Language: 'en' };

	it('gives the request as it came on wish', async () => {
		trigger.setParameters({ simplify: false });
		await trigger.deliver({ method: 'GET', query });
		const headers = expect.any(Object);
		expect(trigger.executions).toMatchObject([[{ method: 'GET', query, body: {}, headers }]]);
	});

	const long = `k=${'x'.repeat(1_100_000)}`;
	const part = '--x\r\nContent-Disposition: form-data; name="From"\r\n\r\n1646\r\n--x--\r\n';
	it.each<[string, string, string, RegExp]>([
		['larger than 1 MiB', long, 'text/plain', /larger than 1 MiB/],
		['a larger form', long, 'application/x-www-form-urlencoded', /larger than 1 MiB/],
		['a multipart form', part, 'multipart/form-data; boundary=x', /multipart/],
		['a multipart form in capitals', part, 'MULTIPART/Form-Data; boundary=x', /multipart/],
		['another multipart body', part, 'multipart/mixed; boundary=x', /multipart/],
		['a key __proto__', '{"__proto__":{"From":"1646"}}', 'application/json', /__proto__/],
		['one in depth', '{"args":{"x":{"__proto__":1}}}', 'application/json', /__proto__/],
		['one in a text', '{"__proto__":{"From":"1646"}}', 'text/plain', /__proto__/],
		['one without a type', '{"__proto__":{"From":"1646"}}', '', /__proto__/],
		['depth', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`, 'application/json', /deeper than 64/],
	])('gives the fallback at once and starts nothing: %s', async (_, body, type, reason) => {
		await trigger.activate();
		for (const simplify of [true, false]) {
			trigger.setParameters({ simplify });
			const answer = await trigger.deliver({ body, headers: { 'content-type': type } });
			expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { operations: STEPS.step }]);
			expect(answer.headers.get('x-routing-reason')).toMatch(reason);
		}
		expect([trigger.executions, trigger.failures]).toEqual([[], []]);
	});

	it('gives the fallback at once to more calls than can wait for the workflow, until those have an answer', async () => {
		trigger.setParameters({ deadline: 30 });
		let release: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => (release = resolve));
		trigger.beforeStart = async () => await gate;
		const reasons: string[] = [];
		const ask = async () => {
			const { status, body, headers } = await trigger.deliver({ method: 'GET', query });
			expect([status, JSON.parse(body)]).toEqual([200, { operations: STEPS.step }]);
			reasons.push(String(headers.get('x-routing-reason')));
		};
		const asking = Promise.all(Array.from({ length: 100 }, ask));
		await eventually(() => expect(reasons).toHaveLength(68));
		expect(new Set(reasons)).toEqual(new Set(['More than 32 calls wait for an answer']));
		release();
		await asking;
		await ask();
		expect(trigger.executions).toHaveLength(33);
	});

	it('takes keys that only look dangerous as they are', async () => {
		const body = { From: '1646', constructor: { prototype: { x: 1 } }, toString: 'a' };
		await trigger.deliver({ body });
		expect(trigger.executions[0]?.[0]).toMatchObject({
			from: '1646',
			details: { parameters: { constructor: { prototype: { x: 1 } }, toString: 'a' } },
		});
		expect(({} as { x?: number }).x).toBeUndefined();
	});

	it('answers with what is left of a fallback whose expression fails', async () => {
		const step = [
			{ type: 'extension', extension: '={{ $json.no.such.field }}' },
			{ type: 'id', id: 'u' },
		];
		trigger.setParameters({ fallback: { step } });
		await trigger.activate();
		expect((await trigger.deliver({ method: 'GET' })).body).toBe(
			'{"operations":[{"type":"id","id":"u"}]}',
		);
	});

	it('sends no step that hangs up to a PBX without one, which then continues with its callflow', async () => {
		const step = [{ type: 'hangup' }, STEPS.step[0]];
		trigger.setParameters({ responseMode: 'onReceived', fallback: { step } } as never);
		const { status, headers } = await trigger.deliver({ method: 'GET', query });
		expect([status, headers.get('x-routing-reason')]).toEqual([
			503,
			"Step 1 (hang up): this PBX's API has no step that ends a call",
		]);
	});

	it('knows the request in the expressions of its steps', async () => {
		const step = [{ type: 'extension', extension: '={{ $json.query.From }}' }];
		trigger.setParameters({ responseMode: 'onReceived', fallback: { step } });
		await trigger.activate();
		expect((await trigger.deliver({ method: 'GET', query: { From: '1646' } })).body).toBe(
			'{"operations":[{"type":"extension","extension":"1646"}]}',
		);
	});
});

describe('a routing trigger that waits for the Respond operation', () => {
	const RESPOND_OF_N8N = 'n8n-nodes-base.respondToWebhook';
	const NOTHING_RESPONDS =
		"'Respond' is set to 'Using Respond Operation', but no node after this one responds";
	/** Node types that are only looked at. */
	const types = Object.fromEntries(
		[RESPOND_OF_N8N, 'n8n-nodes-base.wait', 'n8n-nodes-base.executeWorkflow'].map((name) => [
			name,
			makeNodeType(name, { description: { version: [1, 1.5] } }),
		]),
	);
	const node = (type: string, rest: Partial<TestNode> = {}): TestNode => ({ type, ...rest });
	const routing = (parameters: IDataObject, rest: Partial<TestNode> = {}) =>
		node('virtualPbx', {
			parameters: {
				resource: 'routing',
				operation: 'respond',
				steps: STEPS,
				...parameters,
			} as never,
			...rest,
		});
	let trigger: TestTrigger;
	const make = async (behind: TestNode[]) =>
		(trigger = await startTrigger({
			type: 'virtualPbxRoutingTrigger',
			parameters: { connect: 'manual', responseMode: 'responseNode', fallback: STEPS },
			behind,
			types,
		}));
	afterEach(async () => await trigger.close());

	it.each<[string, TestNode[]]>([
		['Respond', [routing({})]],
		['an operation by an expression', [routing({ operation: '={{ $json.how }}' })]],
		['a resource by an expression', [routing({ resource: '={{ $json.what }}' })]],
		['version 1 of the node of n8n', [node(RESPOND_OF_N8N)]],
		[
			'a newer node of n8n behind a Wait node, which it takes for a webhook',
			[node('n8n-nodes-base.wait'), node(RESPOND_OF_N8N, { typeVersion: 1.5 })],
		],
	])('is activated with %s', async (_, behind) => {
		await (await make(behind)).activate();
	});

	it.each<[string, TestNode[]]>([
		['nothing', []],
		['a Respond that is switched off', [routing({}, { disabled: true })]],
		['a sub-workflow, which cannot respond', [node('n8n-nodes-base.executeWorkflow')]],
		[
			'a newer node of n8n, which accepts no foreign trigger',
			[node(RESPOND_OF_N8N, { typeVersion: 1.5 })],
		],
	])('is refused with %s behind it', async (_, behind) => {
		await expect((await make(behind)).activate()).rejects.toThrow(
			new RegExp(`${NOTHING_RESPONDS}.*Routing > Respond`),
		);
	});

	it('keeps its route at the start of n8n, which the first check tells', async () => {
		await (await make([])).restart();
		await trigger.pass(1);
		expect(trigger.reported.join()).toContain(NOTHING_RESPONDS);
	});

	it('is refused before anything is written into the callflow', async () => {
		const pbx = await startCallflowPbx();
		trigger = await pbx.makeTrigger({ responseMode: 'responseNode' });
		const before = structuredClone(pbx.flowOf());
		await expect(trigger.activate()).rejects.toThrow(NOTHING_RESPONDS);
		expect(pbx.flowOf()).toEqual(before);
		await pbx.close();
	});
});
