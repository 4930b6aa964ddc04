import { makeNode, openEditor } from '../support/e2e/editor';
import type { EditorBench } from '../support/e2e/editor';

const CALL = { from: '74951234567', to: '100', talk_seconds: 5, speed: 100 };

describe("the triggers in n8n's editor", () => {
	let bench: EditorBench;

	async function openTrigger(...node: Parameters<typeof makeNode>): Promise<void> {
		const workflow = await bench.store([makeNode(...node)]);
		await bench.editor.openWorkflow(workflow.id);
		await bench.editor.openNode(node[0]);
	}

	beforeAll(async () => (bench = await openEditor()));
	afterAll(async () => await bench.close());

	it('catches a call while it listens for a test event, and then leaves no webhook behind', async () => {
		const { editor, pbx } = bench;
		await openTrigger('Call Ended', 'virtualPbxTrigger', { events: ['ended'] });
		await editor.listen();
		await editor.page.getByText('Listening for test event').first().waitFor();
		expect(await pbx.client.webhooks()).toMatchObject([{ hook: 'channel_destroy' }]);

		await pbx.client.call({ ...CALL, wait: 'delivered' });
		const output = await editor.output(CALL.from);

		expect(output).toContain('ended');
		expect(await pbx.client.webhooks()).toEqual([]);
	});

	it('warns in the form where deliveries are not verified', async () => {
		const { editor } = bench;
		await openTrigger('Unverified', 'virtualPbxTrigger');
		await editor.parameter('verifyDeliveries').locator('.el-switch').click();

		await editor.part('ndv').getByText('can now forge calls').waitFor();
	});

	it('fetches the newest call as a test event of the Call Record Trigger', async () => {
		const { editor, pbx } = bench;
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await openTrigger('Calls', 'virtualPbxRecordTrigger', { event: 'newCall' });
		await editor.execute();

		expect(await editor.output(CALL.from)).toContain('Ended normally');
	});

	it('lets the Routing Trigger choose a callflow from the list and build its fallback', async () => {
		const { editor } = bench;
		await openTrigger('Routing', 'virtualPbxRoutingTrigger', {}, { typeVersion: 2 });
		await editor.choose('connect', 'Callflow');
		expect(await editor.searchList('callflowId', 'hours')).toEqual(['After hours (74950000300)']);
		await editor.pick('After hours');
		await editor.part('ndv').getByText('Add Step').click();
		await editor.parameter('extension').waitFor();
		await editor.choose('type', 'Play File');
		await editor.parameter('filename').waitFor();

		expect(await editor.parameter('extension').count()).toBe(0);
	});
});
