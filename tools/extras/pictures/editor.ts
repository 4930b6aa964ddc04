import { update as updateWebhook } from '../../../nodes/VirtualPbx/actions/webhook/update.operation';
import { credentialOf, makeNode, rowOf } from '../../n8n';
import { SANDBOX_LOGIN } from '../../sandbox-client';
import { boxesOf, shoot } from './bench';
import type { Area, Bench } from './bench';
import { MAIN_NUMBER } from './company';

/** Takes the credential's dialog after its successful test. */
export async function shootCredential({ editor, pbx }: Bench): Promise<void> {
	await editor.page.setViewportSize({ width: 1200, height: 1250 });
	await editor.goto('home/credentials/create');
	await editor.part('new-credential-type-select').locator('input').fill('Virtual PBX API');
	const type = editor.part('new-credential-type-select-option');
	await type.filter({ hasText: 'Virtual PBX API' }).click();
	await editor.part('new-credential-type-button').click();
	for (const [name, value] of Object.entries({ baseUrl: pbx.url, ...SANDBOX_LOGIN }))
		await editor.parameter(name).locator('input').fill(value);
	await editor.choose('country', 'United States');
	await editor.part('credential-save-button').locator('button:visible').click();
	const tested = editor.page.getByText('Connection tested successfully');
	await tested.locator('visible=true').first().waitFor();
	await editor.page.mouse.move(0, 0);
	// High enough for the country.
	const content = '.el-dialog { max-height: none !important; height: 850px !important }';
	await editor.page.addStyleTag({ content });
	await editor.page.waitForTimeout(1500);
	await shoot('credential', editor.page.locator('.el-dialog:visible').first());
	await editor.page.setViewportSize({ width: 1440, height: 900 });
}

/** Takes the package's entries in n8n's node panel. */
export async function shootPanel(bench: Bench): Promise<void> {
	const { editor } = bench;
	await editor.page.setViewportSize({ width: 1440, height: 1100 });
	await editor.openPanel();
	await editor.searchPanel('Virtual PBX');
	await editor.entry('Virtual PBX Call Routing Trigger').waitFor();
	await shoot('node-panel', editor.page, await fullEntries(bench));
	await editor.entry('Virtual PBX').click();
	await editor.showActions();
	await editor.entry(updateWebhook.action).waitFor();
	await editor.page.mouse.move(0, 0);
	const heading = editor.part('node-creator-category-item').filter({ hasText: 'Actions' });
	const [actions] = await boxesOf(heading);
	const area = await fullEntries(bench);
	const top = (actions?.y ?? area.y) - 8;
	await shoot('node-actions', editor.page, { ...area, y: top, height: area.y + area.height - top });
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

/** The callflow of the company's number, as chosen from the list. */
export const MAIN_CALLFLOW = {
	...{ __rl: true, mode: 'list', value: '4fbbecfa1fbe9c494c728f2eda16f14a' },
	cachedResultName: `Main number (${MAIN_NUMBER})`,
};

const ring = (extension: unknown) => ({ type: 'extension', extension, ringing: { timeout: 20 } });

const CHOSEN_EXTENSION = { __rl: true, mode: 'extension', value: '100' };

/** Nodes whose parameters are shown, by picture. */
const FORMS = {
	'event-trigger': {
		...makeNode('Phone Rings', 'virtualPbxTrigger', {
			events: ['started', 'answered', 'ended'],
			filters: { callType: ['incoming'] },
			options: { legs: 'everyLeg' },
		}),
		typeVersion: 1.1,
	},
	'record-trigger': makeNode('New Call', 'virtualPbxRecordTrigger', {
		filters: { callType: ['incoming', 'outgoing'] },
		options: { includeDetails: true },
	}),
	'routing-trigger': {
		...makeNode('Incoming Call', 'virtualPbxRoutingTrigger', {
			...{ connect: 'callflow', callflowId: MAIN_CALLFLOW },
			fallback: { step: [ring(CHOSEN_EXTENSION)] },
		}),
		typeVersion: 2,
	},
	'routing-answer': makeNode('Ring Employee', 'virtualPbx', {
		...{ resource: 'routing', operation: 'respond' },
		steps: { step: [ring('101'), { type: 'voicemail', extension: '101' }] },
	}),
};

/** Takes the parameters of nodes. */
export async function shootForms({ editor, n8n, credential }: Bench): Promise<void> {
	await editor.page.setViewportSize({ width: 1200, height: 1000 });
	for (const [picture, form] of Object.entries(FORMS)) {
		const node = { ...form, ...credentialOf(credential) };
		const { id } = await n8n.createWorkflow(rowOf(form.name, [node]));
		await editor.openWorkflow(id);
		await editor.openNode(form.name);
		await editor.page.mouse.move(0, 0);
		await editor.page.waitForTimeout(700);
		const settings = editor.part('ndv').locator('.node-settings');
		const [area] = await boxesOf(settings);
		if (!area) throw new Error('The parameters are not shown');
		const parts = '[data-test-id^=parameter-input], [data-test-id*=collection]';
		const fields = await boxesOf(settings.locator(parts));
		const ends = fields.map(({ y, height }) => y + height + 10);
		const end = Math.max(...ends.filter((bottom) => bottom <= area.y + area.height));
		await shoot(picture, editor.page, { ...area, height: end - area.y });
		await editor.closeNode();
	}
	await editor.page.setViewportSize({ width: 1440, height: 900 });
}
