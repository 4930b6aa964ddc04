import { eventually } from '../support/e2e';
import { inARow, makeNode, openEditor } from '../support/e2e/editor';
import type { EditorBench } from '../support/e2e/editor';

/** The action node after a manual trigger. */
const actionNodes = (parameters: Parameters<typeof makeNode>[2]) => [
	makeNode('Start', 'n8n-nodes-base.manualTrigger'),
	makeNode('PBX', 'virtualPbx', parameters, { position: [240, 0] }),
];

describe("the action node in n8n's editor", () => {
	let bench: EditorBench;

	async function openPbxNode(parameters: Parameters<typeof makeNode>[2]): Promise<void> {
		const workflow = await bench.store(actionNodes(parameters), inARow('Start', 'PBX'));
		await bench.editor.openWorkflow(workflow.id);
		await bench.editor.openNode('PBX');
	}

	beforeAll(async () => (bench = await openEditor()));

	it('can be found in the node panel by name and purpose, and added with an action', async () => {
		const { editor } = bench;
		/** Retries, since the editor renders its list gradually. */
		const expectListed = async (...names: string[]) =>
			await eventually(async () =>
				expect(await editor.listedEntries()).toEqual(expect.arrayContaining(names)),
			);

		await editor.openPanel();
		await editor.searchPanel('Virtual PBX');
		// The order in which most people need them. n8n leaves out "Trigger" where it lists actions.
		const nodes = ['Virtual PBX', 'Virtual PBX Call Record', 'Virtual PBX Call Routing Trigger'];
		await eventually(async () => expect(await editor.listedEntries()).toEqual(nodes));
		for (const words of ['missed call', 'voicemail', 'call log', 'call routing', 'ringing']) {
			await editor.searchPanel(words);
			await eventually(async () =>
				expect((await editor.listedEntries()).slice(0, 3)).toContain('Virtual PBX'),
			);
		}
		await editor.searchPanel('telephony');
		await editor.entry('Virtual PBX').click();
		await editor.showActions();
		await expectListed(
			'On call missed',
			'Create or update callflow',
			'Get many call records',
			'Download recording',
		);

		await editor.entry('Get many call records').click();
		await editor.part('ndv').waitFor();
		const chosen = async (name: string) =>
			await editor.parameter(name).locator('input').inputValue();
		expect([await chosen('resource'), await chosen('operation')]).toEqual([
			'Call Record (CDR)',
			'Get Many',
		]);
	});

	it('searches callflows in the list, and runs with the selected one', async () => {
		await openPbxNode({ resource: 'callflow', operation: 'get' });
		const found = await bench.editor.searchList('callflowId', 'sales');
		await bench.editor.pick('Sales group');
		await bench.editor.execute();

		expect(found).toEqual(['Sales group (12125550104)', 'Sales hotline (12125550105)']);
		expect(await bench.editor.output('12125550104')).toContain('1 item');
	});

	it('shows the fields of the selected option, and hides the others', async () => {
		const { editor } = bench;
		await openPbxNode({ resource: 'callflow', operation: 'update' });
		await editor.parameter('flowSource').waitFor();
		expect(await editor.parameter('serviceUrl').count()).toBe(0);

		await editor.choose('flowSource', 'Ask a Web Service (Pivot)');
		await editor.parameter('serviceUrl').waitFor();
		expect(await editor.parameter('flow').count()).toBe(0);

		await editor.choose('flowSource', 'JSON');
		await editor.parameter('flow').waitFor();
		expect(await editor.parameter('serviceUrl').count()).toBe(0);

		await editor.choose('resource', 'Call Record (CDR)');
		await editor.parameter('returnAll').waitFor();
		await editor.parameter('limit').waitFor();
		expect(await editor.parameter('flow').count()).toBe(0);
		await editor.parameter('returnAll').locator('.el-switch').click();
		await editor.parameter('limit').waitFor({ state: 'detached' });
	});

	it('has its own form as an AI agent tool', async () => {
		const { editor } = bench;
		const tool = makeNode('Calls', 'virtualPbxTool', { resource: 'cdr', operation: 'getMany' });
		const agent = makeNode(
			'Agent',
			'@n8n/n8n-nodes-langchain.agent',
			{},
			{ typeVersion: 2, position: [0, -300] },
		);
		const workflow = await bench.store([agent, tool], {
			Calls: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		});
		await editor.openWorkflow(workflow.id);
		await editor.openNode('Calls');
		await editor.parameter('descriptionType').waitFor();

		expect(await editor.parameter('simplify').count()).toBe(0);
		await editor.choose('output', 'Selected Fields');
		await editor.parameter('selectedFields').waitFor();
		expect(await editor.part('from-ai-override-button').count()).toBeGreaterThan(0);
	});
});
