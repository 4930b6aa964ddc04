import { importKit } from '../../test/support/e2e/kits';
import type { Workflow } from '../n8n';
import { boxesOf } from './bench';
import type { Area, Bench } from './bench';

const CALL = { from: '74951234567', to: '74950000100', talk_seconds: 42, speed: 100 };

/** What is shown around the nodes: names stand below them, and the plus at the right of the last. */
const MARGIN = { left: 24, top: 24, right: 90, bottom: 60 };

/** How long a canvas takes to be drawn and to come to rest. */
const SETTLE_MS = 2500;

function example({ examples }: Bench, file: string): Workflow {
	const workflow = examples.get(file);
	if (!workflow) throw new Error(`examples/${file} is missing`);
	return workflow;
}

/** The workflow for HubSpot after a call. */
export async function shootExecution(bench: Bench): Promise<void> {
	const { editor, n8n, pbx, hubspot, shootArea } = bench;
	const key = { appToken: hubspot.token };
	const kit = await importKit(n8n, 'crm/hubspot.json', {
		credentials: [bench.credential, await n8n.createCredential('hubspotAppToken', 'HubSpot', key)],
		spreadsheet: '',
		settings: {},
	});
	await n8n.runManually(kit, 'Set Up');
	await n8n.waitForExecutions(kit.id);
	await n8n.activate(kit.id);
	await pbx.call({ ...CALL, wait: 'delivered' });
	const execution = (await n8n.waitForExecutions(kit.id, { count: 2 })).at(-1);

	await editor.page.setViewportSize({ width: 1900, height: 1000 });
	await editor.goto(`workflow/${kit.id}/executions/${execution?.id}`);
	await editor.part('canvas-node').nth(1).waitFor();
	await editor.page.waitForTimeout(SETTLE_MS);
	// n8n's checklist opens over the picture once a workflow is published.
	const checklist = editor.part('suggested-actions-close');
	if (await checklist.isVisible()) await checklist.click();
	await editor.page.waitForTimeout(SETTLE_MS);
	await shootArea('execution', await nodesArea(bench));
}

/** The canvas of an example that routes live calls. */
export async function shootRouting(bench: Bench): Promise<void> {
	const { editor, shootArea } = bench;
	await editor.page.setViewportSize({ width: 1440, height: 1000 });
	await editor.openWorkflow(example(bench, 'responsible-manager.json').id);
	await editor.page.waitForTimeout(SETTLE_MS);
	// The button lies over the lowest node.
	const button = '[data-test-id=execute-workflow-button] { visibility: hidden }';
	await editor.page.addStyleTag({ content: button });
	await shootArea('routing-workflow', await nodesArea(bench));
}

/** Where the nodes and notes of a canvas are. */
async function nodesArea({ editor }: Bench): Promise<Area> {
	const nodes = await boxesOf(editor.page.locator('.vue-flow__node'));
	const left = Math.min(...nodes.map(({ x }) => x)) - MARGIN.left;
	const top = Math.min(...nodes.map(({ y }) => y)) - MARGIN.top;
	const right = Math.max(...nodes.map(({ x, width }) => x + width)) + MARGIN.right;
	const bottom = Math.max(...nodes.map(({ y, height }) => y + height)) + MARGIN.bottom;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The sandbox's page on a desk and on a phone, with a call in progress. */
export async function shootSandbox({ browser, pbx, shoot }: Bench): Promise<void> {
	await pbx.call({ ...CALL, to: '101', outcome: 'busy', wait: 'delivered' });
	await pbx.call({ ...CALL, talk_seconds: 600, speed: 1 });
	// One page for both: where Chromium has a single process, it ends with its last page.
	const page = await browser.newPage();
	for (const [name, width, height] of [
		['sandbox', 1280, 860],
		['sandbox-phone', 390, 844],
	] as const) {
		await page.setViewportSize({ width, height });
		await page.goto(`${pbx.url}/`);
		await page.getByText('74951234567').first().waitFor();
		await page.waitForTimeout(3500);
		await shoot(name, page);
	}
	await page.close();
}
