import type { INodeParameters } from 'n8n-workflow';

import { update as updateWebhook } from '../../nodes/VirtualPbx/operations/webhook/update.operation';
import { credentialOf, makeNode } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';
import { boxesOf } from './bench';
import type { Area, Bench } from './bench';

/** The credential's dialog after its successful test. */
export async function shootCredential({ editor, pbx, shoot }: Bench): Promise<void> {
	await editor.goto('home/credentials/create');
	await editor.part('new-credential-type-select').locator('input').fill('Virtual PBX API');
	const type = editor.part('new-credential-type-select-option');
	await type.filter({ hasText: 'Virtual PBX API' }).click();
	await editor.part('new-credential-type-button').click();
	for (const [name, value] of Object.entries({ baseUrl: pbx.url, ...SANDBOX_LOGIN }))
		await editor.parameter(name).locator('input').fill(value);
	await editor.part('credential-save-button').locator('button:visible').click();
	await editor.page
		.getByText('Connection tested successfully')
		.locator('visible=true')
		.first()
		.waitFor();
	await editor.page.mouse.move(0, 0);
	await editor.page.waitForTimeout(1500);
	await shoot('credential', editor.page.locator('.el-dialog:visible').first());
}

/** What n8n's panel of nodes offers for the package. */
export async function shootPanel(bench: Bench): Promise<void> {
	const { editor, shootArea } = bench;
	await editor.openPanel();
	await editor.searchPanel('Virtual PBX');
	await editor.offer('Virtual PBX Routing Trigger').waitFor();
	await shootArea('node-panel', await fullEntries(bench));
	await editor.offer('Virtual PBX').click();
	await editor.showActions();
	await editor.offer(updateWebhook.action).waitFor();
	await editor.page.mouse.move(0, 0);
	await shootArea('node-actions', await fullEntries(bench));
}

/** The panel of nodes down to its last whole entry: without half an entry or emptiness below. */
async function fullEntries({ editor }: Bench): Promise<Area> {
	const [panel] = await boxesOf(editor.part('node-creator'));
	if (!panel) throw new Error('The panel of nodes is not open');
	const entries = await boxesOf(editor.part('item-iterator-item'));
	const ends = entries.map(({ y, height }) => y + height);
	const end = Math.max(...ends.filter((bottom) => bottom < panel.y + panel.height));
	return { ...panel, height: end - panel.y + 8 };
}

interface Form {
	picture: string;
	type: string;
	name: string;
	version?: number;
	parameters: INodeParameters;
}

const FORMS: Form[] = [
	{
		picture: 'event-trigger',
		type: 'virtualPbxTrigger',
		name: 'Call Ended or Missed',
		version: 1.1,
		parameters: {
			events: ['ended', 'missed'],
			filters: { to: '7495*', callType: ['incoming'], minTalkSeconds: 5 },
		},
	},
	{
		picture: 'routing-trigger',
		type: 'virtualPbxRoutingTrigger',
		name: 'Incoming Call',
		version: 2,
		parameters: {
			connect: 'callflow',
			callflowId: {
				__rl: true,
				mode: 'list',
				value: 'd7d1813b07ccba177b05087a34673773',
				cachedResultName: 'Main number: 74950000100',
			},
			fallback: { step: [{ type: 'extension', extension: '100', ringing: { timeout: 20 } }] },
		},
	},
	{
		picture: 'record-trigger',
		type: 'virtualPbxRecordTrigger',
		name: 'New Call',
		parameters: { event: 'newCall' },
	},
	{
		picture: 'call-records',
		type: 'virtualPbx',
		name: 'Calls of Today',
		parameters: {
			resource: 'cdr',
			operation: 'getMany',
			returnAll: true,
			after: '={{ $today }}',
			before: '={{ $now }}',
			filters: { callerNumber: '74951234567' },
		},
	},
	{
		picture: 'callflow',
		type: 'virtualPbx',
		name: 'Route by Workflow',
		parameters: {
			resource: 'callflow',
			operation: 'upsert',
			number: '74950000100',
			name: 'Main number',
			serviceUrl: 'https://n8n.example.com/webhook/route-call',
		},
	},
	{
		picture: 'routing-answer',
		type: 'virtualPbx',
		name: 'Ring the Manager',
		parameters: {
			resource: 'routing',
			operation: 'respond',
			steps: {
				step: [
					{ type: 'play', filename: 'please-hold.wav' },
					{ type: 'extension', extension: '101', ringing: { timeout: 20 } },
				],
			},
		},
	},
];

/** The parameters of each node. */
export async function shootForms(bench: Bench): Promise<void> {
	const { editor, n8n, shoot } = bench;
	const credential = credentialOf(bench.credential);
	const nodes = FORMS.map(({ name, type, version = 1, parameters }, index) =>
		makeNode(name, type, parameters, {
			typeVersion: version,
			position: [(index % 3) * 260, Math.floor(index / 3) * 220],
			...credential,
		}),
	);
	const workflow = await n8n.createWorkflow({ name: 'Forms', nodes, connections: {} });
	await editor.page.setViewportSize({ width: 1200, height: 820 });
	await editor.openWorkflow(workflow.id);
	for (const { picture, name } of FORMS) {
		await editor.openNode(name);
		await editor.page.mouse.move(0, 0);
		await editor.page.waitForTimeout(700);
		await shoot(picture, editor.part('ndv'));
		await editor.closeNode();
	}
	await editor.page.setViewportSize({ width: 1440, height: 900 });
}
