import { startCallflowPbx } from '../support/callflowPbx';
import { makeNodeType, startTrigger } from '../support/core';
import type { TestNode, TestTrigger } from '../support/core';
import { STEPS } from '../support/trigger/routing';

const RESPOND_OF_N8N = 'n8n-nodes-base.respondToWebhook';
const NOTHING_RESPONDS =
	"'Respond' is set to 'Using Respond Operation', but no node after this one responds";

/** Node types that are only looked at. */
const types = Object.fromEntries(
	[RESPOND_OF_N8N, 'n8n-nodes-base.wait', 'n8n-nodes-base.executeWorkflow', 'test.crm'].map(
		(name) => [name, makeNodeType(name, { description: { version: [1, 1.1, 1.5] } })],
	),
);
const node = (name: string, rest: Partial<TestNode> = {}): TestNode => ({ type: name, ...rest });
const routing = (operation: string, rest: Partial<TestNode> = {}) =>
	node('virtualPbx', {
		name: 'PBX',
		parameters: { resource: 'routing', operation, steps: STEPS } as never,
		...rest,
	});

describe('a routing trigger that waits for the Respond operation', () => {
	let trigger: TestTrigger;
	const make = async (behind: TestNode[], parameters: object = {}) =>
		(trigger = await startTrigger({
			type: 'virtualPbxRoutingTrigger',
			parameters: {
				connect: 'manual',
				responseMode: 'responseNode',
				fallback: STEPS,
				...parameters,
			} as never,
			behind,
			types,
		}));
	afterEach(async () => {
		jest.restoreAllMocks();
		await trigger.close();
	});

	it.each<[string, TestNode[]]>([
		['Respond', [routing('respond')]],
		['an operation by an expression', [routing('={{ $json.how }}')]],
		[
			'a resource by an expression',
			[node('virtualPbx', { parameters: { resource: '={{ $json.what }}', operation: 'respond' } })],
		],
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
		['a Respond that is switched off', [routing('respond', { disabled: true })]],
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
