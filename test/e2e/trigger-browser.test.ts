import { eventually } from '../support/e2e';
import { makeNode, openEditor } from '../support/e2e/editor';
import type { EditorBench } from '../support/e2e/editor';

const CALL = { from: '74951234567', to: '100', talk_seconds: 5, speed: 100 };
const NODE = 'Call Ended';

describe('one workflow in test mode and in production, seen in the browser', () => {
	let bench: EditorBench;
	beforeAll(async () => (bench = await openEditor()));
	afterAll(async () => await bench.close());

	const paths = async () =>
		(await bench.pbx.client.webhooks())
			.map(({ uri }) => /\/webhook(-test)?\//.exec(String(uri))?.[0])
			.sort();

	it('hears a call in both, and keeps production when the test ends', async () => {
		const { editor, n8n, pbx } = bench;
		const workflow = await bench.store([
			makeNode(NODE, 'virtualPbxTrigger', { events: ['ended'] }),
		]);
		await n8n.activate(workflow.id);
		await editor.openWorkflow(workflow.id);
		await editor.openNode(NODE);
		await editor.listen();
		await editor.page.getByText('Listening for test event').first().waitFor();
		expect(await paths()).toEqual(['/webhook-test/', '/webhook/']);

		await pbx.client.call({ ...CALL, wait: 'delivered' });
		expect(await editor.output(CALL.from)).toContain('ended');
		const executions = await n8n.waitForExecutions(workflow.id, { count: 2 });
		expect(executions.map(({ mode }) => mode).sort()).toEqual(['manual', 'webhook']);
		await eventually(async () => expect(await paths()).toEqual(['/webhook/']));
		await n8n.deactivate(workflow.id);
		expect(await paths()).toEqual([]);
	});

	it('shows samples of the chosen events at once', async () => {
		const { editor } = bench;
		const parameters = { events: ['ended', 'missed'], options: { sampleEvents: true } };
		const workflow = await bench.store([makeNode(NODE, 'virtualPbxTrigger', parameters)]);
		await editor.openWorkflow(workflow.id);
		await editor.openNode(NODE);
		await editor.listen();

		expect(await editor.output('Olga Stein')).toContain('2 items');
		expect(await paths()).toEqual([]);
	});
});
