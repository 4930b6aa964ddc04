import { credentialTypeOf, readExample } from '../../tools/demo/examples';
import { makeNode, rowOf } from '../../tools/n8n';
import type { Credential, N8nClient } from '../../tools/n8n';
import { startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { listExamples, readExampleFile } from '../support/exampleTexts';

/** Data of credentials that n8n checks only when a node uses them. */
const UNUSED = {
	accessToken: 'x',
	apiKey: 'x',
	hmacSecret: 'x',
	token: 'x',
	user: 'x',
	password: 'x',
};

const isChosen = (locator: unknown) => (locator as { value?: unknown })?.value !== '';

/** n8n imports and publishes each workflow, whatever its newest version has removed. */
describe('every example', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credentials: Credential[];
	/** For nodes in which a user chooses a workflow. */
	let chosen: string;

	beforeAll(async () => {
		({ n8n, pbx } = await startBed());
		const called = makeNode('When Called', 'n8n-nodes-base.executeWorkflowTrigger', {
			inputSource: 'passthrough',
		});
		({ id: chosen } = await n8n.createWorkflow(rowOf('Chosen by the user', [called])));
		await n8n.activate(chosen);
		const nodes = listExamples().flatMap((file) => readExampleFile(file).nodes);
		const types = new Set(nodes.flatMap((node) => credentialTypeOf(node) ?? []).map(String));
		credentials = [await n8n.createCredential('virtualPbxApi', 'PBX of all examples', pbx.account)];
		for (const type of [...types].filter((one) => one !== 'virtualPbxApi'))
			credentials.push(await n8n.createCredential(type, `Unused ${type}`, UNUSED));
	});

	it.each(listExamples())('%s', async (file) => {
		const example = await readExample(file, credentials, pbx.client.url);
		for (const { parameters, type } of example.nodes)
			if (type.endsWith('.virtualPbxRoutingTrigger')) parameters.connect = 'manual';
			else if (type.endsWith('.executeWorkflow') && !isChosen(parameters.workflowId))
				parameters.workflowId = { __rl: true, mode: 'list', value: chosen };
		const workflow = await n8n.createWorkflow(example);
		const starts = example.nodes.some(({ type }) =>
			/(?<!manual|executeWorkflow|evaluation)(trigger|webhook)$/i.test(type),
		);
		if (starts) await n8n.activate(workflow.id);
		const { active } = await n8n.getWorkflow(workflow.id);
		if (starts) await n8n.deactivate(workflow.id);

		expect(active).toBe(starts);
	});
});
