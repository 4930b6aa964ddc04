import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { jsonOf, ROOT } from '../../tools/n8n';
import type { N8nClient, Workflow } from '../../tools/n8n';
import { callTool, listTools } from '../support/e2e/mcp';
import { connect, eventually, loadExample, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';

const CALL = { from: '74951234567', to: '74950000100', talk_seconds: 5, speed: 100 };

/** The examples of this file and of those that the nodes' own tests run. */
const TESTED_ELSEWHERE = [
	'call-ended-to-crm.json',
	'calls-with-recordings-to-crm.json',
	'nightly-reconciliation.json',
	'responsible-manager.json',
];

describe('the examples, as shipped, in a real n8n', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	const tested: string[] = [...TESTED_ELSEWHERE];

	async function load(file: string): Promise<Workflow> {
		tested.push(file);
		await pbx.client.reset();
		const credential = await n8n.createCredential('virtualPbxApi', `PBX ${file}`, pbx.account);
		return await n8n.createWorkflow(loadExample(file, credential, pbx.client.url));
	}

	/** Runs an example by its schedule's node, as the button in the editor does. */
	async function runByHand(workflow: Workflow, trigger: string): Promise<void> {
		await n8n.runManually(workflow, trigger);
		const [execution] = await n8n.waitForExecutions(workflow.id);
		expect(execution?.data.resultData.error).toBeUndefined();
		expect(execution?.status).toBe('success');
	}

	const notes = async () => (await pbx.client.notes()).map(({ body }) => body as IDataObject);

	/** Activates an example while something happens, and waits for its first execution. */
	async function whileActive(workflow: Workflow, happens: () => Promise<unknown>) {
		await n8n.activate(workflow.id);
		try {
			await happens();
			const [execution] = await n8n.waitForExecutions(workflow.id, { withinMs: 40_000 });
			expect(execution?.data.resultData.error).toBeUndefined();
			return execution;
		} finally {
			await n8n.deactivate(workflow.id);
		}
	}

	beforeAll(async () => {
		n8n = await connect();
		pbx = await startPbx();
	});
	afterAll(async () => await pbx.sandbox.close());

	it('tell the manager of a customer about a missed call, once', async () => {
		const workflow = await load('missed-call-to-message.json');
		await whileActive(workflow, async () => {
			await pbx.client.call({ ...CALL, wait: 'delivered' });
			await pbx.client.call({ ...CALL, to: '101', outcome: 'cancelled', wait: 'delivered' });
		});

		expect(await notes()).toMatchObject([
			{
				to: '101',
				text: expect.stringMatching(/^Missed call from Anna Petrova, 74951234567, to 101 at/),
			},
		]);
	});

	it('open the card of a customer whom somebody talks with, and none for a stranger', async () => {
		const workflow = await load('answered-call-screen-pop.json');
		await whileActive(workflow, async () => {
			await pbx.client.call({ ...CALL, from: '79990000000', wait: 'delivered' });
			await pbx.client.call({ ...CALL, wait: 'delivered' });
			await n8n.waitForExecutions(workflow.id, { count: 2 });
		});

		expect(await notes()).toMatchObject([{ show: 'Anna Petrova, Northwind', phone: CALL.from }]);
	});

	it('store a recording under a name that says when, who and whom', async () => {
		const workflow = await load('recordings-to-storage.json');
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await n8n.runManually(workflow, 'Recording Ready');
		const [execution] = await n8n.waitForExecutions(workflow.id);
		const [note] = await notes();

		expect(execution?.data.resultData.error).toBeUndefined();
		expect(note?.callId).toMatch(/^\d{4}-\d\d-\d\d\/\d{4}_74951234567_\S+\.wav$/);
		expect((note?.recording as IDataObject).bytes).toBeGreaterThan(1000);
	});

	it('send one alert that names what refuses deliveries, and none while all is well', async () => {
		const workflow = await load('webhook-health-alert.json');
		await runByHand(workflow, 'Every Hour');
		expect(await notes()).toEqual([]);

		const webhook = { name: 'Lost', http_verb: 'post', hook: 'channel_destroy', retries: 1 };
		await pbx.client.pbx('PUT', 'webhooks', { ...webhook, uri: `${pbx.client.url}/nowhere` });
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await n8n.runManually(workflow, 'Every Hour');
		await eventually(async () => {
			expect(await notes()).toMatchObject([
				{
					text: expect.stringMatching(/^\d+ deliveries of call events failed\. http.*nowhere: 404/),
				},
			]);
		});
	});

	it('back up every callflow with its flow into one file', async () => {
		const workflow = await load('callflow-backup.json');
		await runByHand(workflow, 'Every Night');
		const [backup] = (await notes()) as unknown as IDataObject[][];

		expect(backup).toHaveLength(7);
		expect(backup).toContainEqual(
			expect.objectContaining({
				name: 'Main number',
				numbers: ['74950000100'],
				flow: expect.objectContaining({ module: 'user' }),
			}),
		);
	});

	it('switch the on-call number to whoever is on duty, in one and the same callflow', async () => {
		const workflow = await load('on-call-switch.json');
		await runByHand(workflow, 'Every Monday');
		await n8n.runManually(workflow, 'Every Monday');
		const executions = await n8n.waitForExecutions(workflow.id, { count: 2 });
		const isNew = executions.map((one) => jsonOf(one, 'Switch Number')[0]?.isNew);
		const { data } = await pbx.client.pbx('GET', 'callflows?filter_numbers=74950000900');

		expect(isNew).toEqual([true, false]);
		expect(data).toMatchObject([{ name: expect.stringMatching(/^On call: (Irina|Pavel|Maria)$/) }]);
	});

	it('route a call by who calls', async () => {
		const workflow = await load('route-by-caller.json');
		await n8n.activate(workflow.id);
		const { webhookId } = workflow.nodes.find(({ name }) => name === 'Incoming Call') ?? {};
		const ask = async (from: string) => {
			const address = `${n8n.rest.url}/webhook/${webhookId}/routing?Caller-ID-Number=${from}`;
			return (await (await fetch(address)).json()) as IDataObject;
		};
		const answers = [await ask('74951234567'), await ask('78001112233'), await ask('79160000000')];
		await n8n.deactivate(workflow.id);

		expect(answers).toMatchObject([
			{ operations: [{ type: 'extension', extension: '101' }, { type: 'voicemail' }] },
			{ operations: [{ type: 'play', filename: 'after-hours.wav' }] },
			{ operations: [{ type: 'callflow', extension: '74950000400' }] },
		]);
	});

	it('let an assistant ask about calls over MCP', async () => {
		const workflow = await load('ask-the-pbx.json');
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await n8n.activate(workflow.id);
		const server = `${n8n.rest.url}/mcp/ask-the-pbx`;
		const tools = await listTools(server);
		const calls = await callTool(server, 'get_call_records', {
			limit: 1,
			after: '2026-01-01T00:00:00Z',
		});
		const flows = await callTool(server, 'find_callflow', { number: '74950000400' });
		await n8n.deactivate(workflow.id);

		expect(tools.sort()).toEqual(['find_callflow', 'get_call', 'get_call_records']);
		expect(calls).toContain(CALL.from);
		expect(calls).not.toContain('fromUri');
		expect(flows).toContain('Sales group');
	});

	it('are all tested, and have notes on the canvas', () => {
		const files = readdirSync(path.join(ROOT, 'examples')).filter((name) => name.endsWith('.json'));
		expect(tested.sort()).toEqual(files.sort());
		for (const file of files) {
			const text = readFileSync(path.join(ROOT, 'examples', file), 'utf8');
			expect([file, text.includes('n8n-nodes-base.stickyNote')]).toEqual([file, true]);
		}
	});
});
