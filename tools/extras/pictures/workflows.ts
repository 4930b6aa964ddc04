import { MAIN_EXAMPLE } from '../../demo/examples';
import { importKit } from '../../../test/support/e2e/kits';
import { boxesOf } from './bench';
import type { Area, Bench } from './bench';

const CALL = { from: '74951234567', to: '74950000100', talk_seconds: 42, speed: 100 };

/** The margin around the nodes: names are below them, and the plus button is right of the last one. */
const MARGIN = { left: 44, top: 24, right: 90, bottom: 60 };

/** Time for a canvas to appear and settle. */
const SETTLE_MS = 2500;

/** Pictures of canvases, by workflow file. */
const CANVASES = {
	'responsible-manager.json': 'routing-workflow',
	'services/telegram.json': 'messages',
	'services/daily-report-email.json': 'email',
	'services/recordings-to-google-drive.json': 'store-recordings',
	'talk-review.json': 'talk-review',
};

/** Takes the canvases of workflows that a guide explains. */
export async function shootCanvases(bench: Bench): Promise<void> {
	const { editor, n8n, credential, examples, shootArea } = bench;
	const choices = { credentials: [credential], settings: {} };
	await editor.page.setViewportSize({ width: 1900, height: 1300 });
	for (const [file, name] of Object.entries(CANVASES)) {
		const { id } = examples.get(file) ?? (await importKit(n8n, file, choices));
		await editor.openWorkflow(id);
		await hideControls(bench);
		await shootArea(name, await nodesArea(bench));
	}
}

/** Waits until the canvas has settled, and hides controls that overlap its nodes. */
export async function hideControls({ editor }: Bench): Promise<void> {
	await editor.page.waitForTimeout(SETTLE_MS);
	const overNodes = '[class*=executionButtons], .vue-flow__panel { visibility: hidden !important }';
	await editor.page.addStyleTag({ content: overNodes });
}

/** Returns the area of a canvas's nodes, by default with its notes. */
export async function nodesArea({ editor }: Bench, withNotes = true): Promise<Area> {
	const note = editor.page.locator('.n8n-sticky');
	const all = editor.page.locator('.vue-flow__node');
	const nodes = await boxesOf(withNotes ? all : all.filter({ hasNot: note }));
	const left = Math.min(...nodes.map(({ x }) => x)) - MARGIN.left;
	const top = Math.min(...nodes.map(({ y }) => y)) - MARGIN.top;
	const right = Math.max(...nodes.map(({ x, width }) => x + width)) + MARGIN.right;
	const bottom = Math.max(...nodes.map(({ y, height }) => y + height)) + MARGIN.bottom;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Takes the sandbox's page at desktop and phone size, with a call in progress, and deliveries. */
export async function shootSandbox({ browser, examples, n8n, pbx, shoot }: Bench): Promise<void> {
	await pbx.reset();
	const published = examples.get(MAIN_EXAMPLE);
	if (published) await n8n.activate(published.id);
	await pbx.call({ ...CALL, to: '101', outcome: 'busy', wait: 'delivered' });
	await pbx.call({ ...CALL, talk_seconds: 600, speed: 1 });
	// One page for both sizes: a single-process Chromium exits with its last page.
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
	if (published) await n8n.deactivate(published.id);
}
