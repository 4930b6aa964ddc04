import { update as updateWebhook } from '../../../nodes/VirtualPbx/actions/webhook/update.operation';
import { credentialOf, makeNode, rowOf } from '../../n8n';
import { SANDBOX_LOGIN } from '../../sandbox-client';
import { boxesOf } from './bench';
import type { Area, Bench } from './bench';

/** Takes the credential's dialog after its successful test. */
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

/** Takes the package's entries in n8n's node panel. */
export async function shootPanel(bench: Bench): Promise<void> {
	const { editor, shootArea } = bench;
	await editor.openPanel();
	await editor.searchPanel('Virtual PBX');
	await editor.entry('Virtual PBX Routing Trigger').waitFor();
	await shootArea('node-panel', await fullEntries(bench));
	await editor.entry('Virtual PBX').click();
	await editor.showActions();
	await editor.entry(updateWebhook.action).waitFor();
	await editor.page.mouse.move(0, 0);
	await shootArea('node-actions', await fullEntries(bench));
}

/** Returns the node panel's area down to its last complete entry. */
async function fullEntries({ editor }: Bench): Promise<Area> {
	const [panel] = await boxesOf(editor.part('node-creator'));
	if (!panel) throw new Error("The node panel isn't open");
	const entries = await boxesOf(editor.part('item-iterator-item'));
	const ends = entries.map(({ y, height }) => y + height);
	const end = Math.max(...ends.filter((bottom) => bottom < panel.y + panel.height));
	return { ...panel, height: end - panel.y + 8 };
}

/** Example nodes whose parameters are shown. */
const OF_EXAMPLES = [
	{ picture: 'event-trigger', file: 'whose-phone-rings.json', name: 'Phone Rings' },
	{ picture: 'record-trigger', file: 'calls-with-recordings-to-crm.json', name: 'New Call' },
	{ picture: 'routing-answer', file: 'responsible-manager.json', name: 'Ring Manager' },
];

/** The callflow of the sandbox's main number, as chosen from the list. */
export const MAIN_CALLFLOW = {
	__rl: true,
	mode: 'list',
	value: '4fbbecfa1fbe9c494c728f2eda16f14a',
	cachedResultName: 'Main number (74950000100)',
};

/** Nodes that no example contains in this form, by picture. */
const FORMS = {
	'routing-trigger': makeNode(
		'Incoming Call',
		'virtualPbxRoutingTrigger',
		{
			connect: 'callflow',
			callflowId: MAIN_CALLFLOW,
			fallback: { step: [{ type: 'extension', extension: '100', ringing: { timeout: 20 } }] },
		},
		{ typeVersion: 2 },
	),
	'call-records': makeNode('Calls of Today', 'virtualPbx', {
		...{ resource: 'cdr', operation: 'getMany', returnAll: true },
		...{ after: '={{ $today }}', before: '={{ $now }}' },
		filters: { callerNumber: '74951234567' },
	}),
	callflow: makeNode('Route by Workflow', 'virtualPbx', {
		...{ resource: 'callflow', operation: 'upsert', number: '74950000100', name: 'Main number' },
		serviceUrl: 'https://n8n.example.com/webhook/route-call',
	}),
};

/** Takes the parameters of nodes. */
export async function shootForms({
	editor,
	examples,
	n8n,
	credential,
	shoot,
}: Bench): Promise<void> {
	const shootNode = async (picture: string, workflowId: string, name: string) => {
		await editor.openWorkflow(workflowId);
		await editor.openNode(name);
		await editor.page.mouse.move(0, 0);
		await editor.page.waitForTimeout(700);
		await shoot(picture, editor.part('ndv'));
		await editor.closeNode();
	};
	await editor.page.setViewportSize({ width: 1200, height: 820 });
	for (const { picture, file, name } of OF_EXAMPLES)
		await shootNode(picture, examples.get(file)?.id ?? '', name);
	for (const [picture, form] of Object.entries(FORMS)) {
		const node = { ...form, ...credentialOf(credential) };
		const { id } = await n8n.createWorkflow(rowOf(form.name, [node]));
		await shootNode(picture, id, form.name);
	}
	await editor.page.setViewportSize({ width: 1440, height: 900 });
}
