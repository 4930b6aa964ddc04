import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/delivery';
import { readExample } from '../../tools/demo/examples';
import { jsonOf, ROOT } from '../../tools/n8n';
import type { Execution, N8nClient, Workflow } from '../../tools/n8n';
import { eventually, startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { chainOf, errorOf, runChain, runToEnd } from '../support/e2e/chain';
import { addRows } from '../support/e2e/dataTable';
import { askWhere, importExample, TOKEN } from '../support/e2e/examples';
import { askTool, instructionsOf, itemsOf, listTools, statusOf } from '../support/e2e/mcp';
import { POLL_PATIENCE_MS } from '../support/e2e/polls';
import { SHARED } from '../support/kits/crmWorkflow';

const CALL = { from: '12125550123', to: '12125550100', talk_seconds: 5, speed: 100 };

describe('the examples, as shipped', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;

	/** Runs an example from its schedule trigger. Fails if the execution does. */
	async function runFrom(workflow: Workflow, trigger: string): Promise<Execution> {
		const execution = await runToEnd(n8n, workflow, trigger);
		expect(errorOf(execution)).toBeUndefined();
		return execution;
	}

	beforeAll(async () => ({ n8n, pbx } = await startBed()));
	beforeEach(async () => await pbx.client.reset());

	it('write one note per call, even if its event was lost', async () => {
		const workflow = await importExample(n8n, pbx, 'every-call-once.json');
		await n8n.activate(workflow.id);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await eventually(async () => expect(await pbx.client.notes()).toHaveLength(1));
		await n8n.deactivate(workflow.id);
		await pbx.client.call({ ...CALL, from: '17185550100', wait: 'delivered' });
		await n8n.activate(workflow.id);
		await eventually(
			async () => expect(await pbx.client.notes()).toHaveLength(2),
			POLL_PATIENCE_MS,
		);
		// The check also returns the call whose event arrived, in an execution of its own.
		await eventually(async () => {
			const executions = await n8n.waitForExecutions(workflow.id, { count: 2 });
			const polled = executions.flatMap((one) => jsonOf(one, 'New Call'));
			expect(polled.map(({ customerNumber }) => customerNumber)).toContain(CALL.from);
		}, POLL_PATIENCE_MS);
		await n8n.deactivate(workflow.id);

		const phones = (await pbx.client.notes()).map(({ phone }) => phone);
		expect(phones).toEqual([CALL.from, '17185550100']);
	});

	it('send one alert that names the failing webhook, and none while all webhooks work', async () => {
		const workflow = await importExample(n8n, pbx, 'webhook-health-alert.json');
		await runFrom(workflow, 'Every Hour');
		expect(await pbx.client.notes()).toEqual([]);

		const webhook = {
			...{ name: 'n8n: Lost (Call Ended)', http_verb: 'post', hook: 'channel_destroy', retries: 1 },
			uri: `${pbx.client.url}/nowhere`,
			custom_data: { [TAG_NAME]: `${'a'.repeat(16)}.${'c'.repeat(64)}` },
		};
		await pbx.client.pbx('PUT', 'webhooks', webhook);
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await runFrom(workflow, 'Every Hour');
		expect(await pbx.client.notes()).toMatchObject([
			{ text: expect.stringMatching(/^Lost \(Call Ended\): failing\. .*\(404\)/) },
		]);
	});

	it('back up all callflows with their flows to one file', async () => {
		const workflow = await importExample(n8n, pbx, 'callflow-backup.json');
		await runFrom(workflow, 'Every Night');
		const [backup] = (await pbx.client.notes()) as unknown as IDataObject[][];

		expect(backup).toHaveLength(7);
		expect(backup).toContainEqual(
			expect.objectContaining({
				name: 'Main number',
				numbers: ['12125550100'],
				flow: expect.objectContaining({ module: 'user' }),
			}),
		);
	});

	it('switch the on-call number to the employee on duty, always in the same callflow', async () => {
		const workflow = await importExample(n8n, pbx, 'on-call-switch.json');
		const executions = [
			await runFrom(workflow, 'Every Monday'),
			await runFrom(workflow, 'Every Monday'),
		];
		const isNew = executions.map((one) => jsonOf(one, 'Switch Number')[0]?.isNew);
		const [onCall] = executions.map(
			(one) => jsonOf(one, 'Choose Person')[0]?.onCall as IDataObject | undefined,
		);
		const { data } = await pbx.client.pbx('GET', 'callflows?filter_numbers=12125550109');
		const [{ id = '' } = {}] = data as Array<{ id?: string }>;
		const callflow = await pbx.client.pbx('GET', `callflows/${id}`);

		expect(isNew).toEqual([true, false]);
		expect(['Grace', 'Emma', 'David']).toContain(onCall?.name);
		expect(callflow.data).toMatchObject({
			name: `On call: ${String(onCall?.name)}`,
			flow: { data: { id: onCall?.id } },
		});
	});

	it('route a call by the list of callers, in a data table that they create', async () => {
		const workflow = await importExample(n8n, pbx, 'route-by-caller.json');
		await runFrom(workflow, 'Set Up');
		await addRows(n8n, 'Caller Rules', [
			{ number: '12125550123', rule: 'important' },
			{ number: '12125550199', rule: 'blocked' },
		]);
		await n8n.activate(workflow.id);
		const answers = [];
		for (const from of ['12125550123', '%2B12125550199', '16465550100', ''])
			answers.push(await askWhere(n8n, workflow, from));
		await n8n.deactivate(workflow.id);

		const everyone = { operations: [{ type: 'callflow', extension: '12125550104' }] };
		expect(answers).toMatchObject([
			{ operations: [{ type: 'extension', extension: '101' }, { type: 'voicemail' }] },
			{ operations: [{ type: 'play', filename: 'after-hours.wav' }] },
			everyone,
			everyone,
		]);
	});

	it('call employees in turn', async () => {
		const workflow = await importExample(n8n, pbx, 'round-robin.json');
		await runFrom(workflow, 'Set Up');
		await n8n.activate(workflow.id);
		const first: unknown[] = [];
		for (let call = 1; call <= 4; call += 1) {
			const { operations } = await askWhere(n8n, workflow, '12125550123');
			first.push((operations as IDataObject[])[0]?.extension);
			await n8n.waitForExecutions(workflow.id, { count: call + 1 });
		}
		await n8n.deactivate(workflow.id);

		expect(first).toEqual([first[0], first[1], first[0], first[1]]);
		expect([...first.slice(0, 2)].sort()).toEqual(['101', '102']);
	});

	it("route a call to the customer's account owner during business hours, else to voicemail", async () => {
		const { nodes } = await readExample('crm/hubspot.json', [], '');
		const table = nodes.find(({ name }) => name === 'Create Table');
		await runChain(n8n, chainOf('Table', [table ?? fail()]));
		const row = (callId: string, more: IDataObject) => ({ callId, outcome: 'answered', ...more });
		const [number, at] = ['12125550145', '2026-11-01T09:00:00Z'];
		await addRows(n8n, 'HubSpot Calls', [
			row('1', { number, at, employee: '101', user: '7', owner: '8' }),
			row('2', { number: '12125550181', at, employee: '102', user: '8', owner: '' }),
			// A missed call that nobody is known of, and a caller whose owner never had a call.
			row('3', { number, at: '2026-11-02T09:00:00Z', employee: '', user: '', owner: '' }),
			row('4', { number: '12125550182', at, employee: '101', user: '7', owner: '9' }),
		]);
		const workflow = await importExample(n8n, pbx, 'responsible-manager.json');
		const { conditions } =
			workflow.nodes.find(({ name }) => name === 'Working Hours?')?.parameters ?? {};
		const routeAt = async (isOpen: boolean, from: string) => {
			const text = JSON.stringify(conditions).replace(/\{\{.*?\}\}/, `{{ ${isOpen} }}`);
			await n8n.changeNode(workflow.id, 'Working Hours?', { conditions: JSON.parse(text) });
			await n8n.activate(workflow.id);
			return await askWhere(n8n, workflow, from);
		};
		const callers = { [number]: '102', 12125550182: '101', 12125550183: '100' };
		for (const [from, extension] of Object.entries(callers)) {
			const ring = { type: 'extension', extension, timeout: 20 };
			const operations = [ring, { type: 'voicemail', extension }];
			expect(await routeAt(true, from)).toEqual({ operations });
		}
		const play = { type: 'play', filename: 'after-hours.wav' };
		expect(await routeAt(false, number)).toEqual({
			operations: [play, { type: 'voicemail', extension: '100' }],
		});
		await n8n.deactivate(workflow.id);
	});

	it('let only an assistant with the token ask about calls over MCP', async () => {
		const workflow = await importExample(n8n, pbx, 'ask-the-pbx.json');
		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await n8n.activate(workflow.id);
		const { parameters } = workflow.nodes.find(({ name }) => name === 'MCP Server') ?? {};
		const url = `${n8n.rest.url}/mcp/${parameters?.path as string}`;
		const unauthorized = [await statusOf({ url }), await statusOf({ url, token: 'wrong' })];
		const server = { url, token: TOKEN };
		const tools = await listTools(server);
		const instructions = await instructionsOf(server);
		const since = { limit: 1, after: '2026-01-01T00:00:00Z' };
		const calls = JSON.stringify(await askTool(server, 'get_calls', since));
		const number = { number: '12125550104' };
		const flows = JSON.stringify(await askTool(server, 'find_callflow', number));
		const { timezone } = await n8n.rest.request<{ timezone: string }>('GET', 'settings');
		const [yesterday, tomorrow] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000));
		const period = { after: yesterday?.toISOString(), before: tomorrow?.toISOString() };
		const ask = { groupBy: 'employee, outcome', ...period };
		const figures = await itemsOf(server, 'get_statistics', ask);
		const others = { ...ask, callTypes: 'incoming', outcomes: 'busy' };
		const none = await itemsOf(server, 'get_statistics', others);
		await n8n.deactivate(workflow.id);

		expect(unauthorized).toEqual([403, 403]);
		expect(tools.sort()).toEqual(['find_callflow', 'get_call', 'get_calls', 'get_statistics']);
		expect(calls).toContain(CALL.from);
		expect(calls).not.toContain('fromUri');
		expect(flows).toContain('Sales group');
		expect(figures).toMatchObject([{ employee: '100', outcome: 'answered', calls: 1, missed: 0 }]);
		expect(none).toEqual([]);
		expect(instructions).toContain('call get_statistics once');
		expect(instructions).toMatch(new RegExp(`It is \\w+day, \\d{4}-\\d\\d-.* in ${timezone}\\.`));
	});

	it('are each imported as shipped by a test', () => {
		const tests = readdirSync(__dirname).map((name) =>
			readFileSync(path.join(__dirname, name), 'utf8'),
		);
		const found = tests
			.join()
			.matchAll(/(?:importExample\(n8n, pbx, |importKit\(n8n, |readExample\()'([^']+)'/g);
		const imported = [
			...[...found].map(([, file]) => file),
			// By test/kits.
			...['amocrm', 'bitrix24', 'google-sheets', 'hubspot', 'pipedrive', 'zendesk'].map(
				(crm) => `crm/${crm}.json`,
			),
			...SHARED.map((name) => `crm/${name}.json`),
		];
		const folder = path.join(ROOT, 'examples');
		const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
			.map((name) => name.split(path.sep).join('/'))
			.filter((name) => name.endsWith('.json'));

		expect([...new Set(imported)].sort()).toEqual(files.sort());
	});
});
