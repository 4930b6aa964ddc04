import { importKit } from '../../../test/support/e2e/kits';
import type { Workflow } from '../../n8n';
import { boxesOf, save, SCALE } from './bench';
import type { Bench } from './bench';
import { areaAround, showCanvas } from './canvas';
import { CUSTOMERS, MAIN_NUMBER } from './company';
import { contactPage } from './crmPage';

/** The width at which GitHub shows a picture in a README. */
const WIDTH = 830;
const IMAGE_WIDTH = 664;

const CONTACT = 'Linda Carter';
const CALL = { from: CUSTOMERS.linda, to: MAIN_NUMBER, ring_seconds: 8, talk_seconds: 42 };

/** Where the nodes of the lane are in this picture: in two rows, as someone could drag them. */
const PLACES: Record<string, [column: number, y: number]> = {
	...{ 'Call Ended': [0, 0], 'When Called': [0, 200], Settings: [1, 0], 'Find Owner': [2, 0] },
	...{ 'Get Earlier Calls': [3, 0], 'Find Contact': [4, 0], 'Choose Contact': [5, 0] },
	...{ 'Create Contact or Find Call': [1, 220], 'Prepare Call': [2, 220], 'Log Call': [3, 220] },
	...{ 'Prepare Task': [3, 380], 'Write Task': [4, 380], 'Save Call': [5, 220] },
};
const STEP = 216;
/** Away from them. */
const ELSEWHERE = 3000;

/** Takes the README's picture: a call rings, the workflow of the CRM runs, and the contact shows the call. */
export async function shootHero(bench: Bench): Promise<void> {
	const { hubspot, pbx, n8n } = bench;
	await pbx.reset();
	hubspot.users.clear();
	hubspot.users.set('88', 'Grace Miller').set('77', 'David Reed');
	hubspot.addCustomer(CONTACT, '+1 212-555-0142', '88');
	const workflow = await prepare(bench);
	const [newest] = await n8n.listExecutions({ workflowId: workflow.id }, 1);
	const call = await shootRinging(bench);
	const [run] = await n8n.waitForExecutions(workflow.id, {
		...{ after: newest?.id ?? '', count: 2, withinMs: 300_000 },
	});
	const canvas = await shootRun(bench, workflow, String(run?.id));
	const contact = await shootContact(bench);
	await save('hero', await composed(bench, { call, canvas, contact }));
	await n8n.deactivate(workflow.id);
}

/** Imports the workflow as its note says, and publishes it. */
async function prepare({ credentials, n8n }: Bench): Promise<Workflow> {
	const settings = { employees: '100 88@x.example, 102 77@x.example' };
	const imported = await importKit(n8n, 'crm/hubspot.json', { credentials, settings });
	await n8n.runManually(imported, 'Every Night');
	await n8n.waitForExecutions(imported.id);
	await n8n.changeNode(imported.id, 'Wait for the Call', { amount: 20, unit: 'seconds' });
	const { nodes } = await n8n.getWorkflow(imported.id);
	for (const node of nodes) {
		const [column, y] = PLACES[node.name] ?? [0, ELSEWHERE];
		node.position = [column * STEP, y];
	}
	await n8n.updateWorkflow(imported.id, { nodes, connections: imported.connections });
	return await n8n.activate(imported.id);
}

/** Places the call, and takes it in the sandbox's page while it rings. */
async function shootRinging({ browser, pbx }: Bench): Promise<Buffer> {
	const viewport = { width: 1110, height: 600 };
	const page = await browser.newPage({ viewport, deviceScaleFactor: SCALE });
	await page.goto(`${pbx.url}/`);
	await pbx.call({ ...CALL, speed: 1 });
	await page.locator('.stage.now.ringing').nth(1).waitFor();
	await page.waitForTimeout(2000);
	return await page.locator('li.call').first().screenshot({ animations: 'disabled' });
}

/** Takes the lane of the workflow in an execution. */
async function shootRun(bench: Bench, { id }: Workflow, run: string): Promise<Buffer> {
	const { editor } = bench;
	await editor.page.setViewportSize({ width: 1800, height: 5000 });
	await editor.goto(`workflow/${id}/executions/${run}`);
	await editor.part('canvas-node').nth(1).waitFor();
	await showCanvas(bench);
	await editor.page.addStyleTag({ content: '.vue-flow__background { visibility: hidden }' });
	const inLane = Object.keys(PLACES).map((name) => `[data-node-name="${name}"]`);
	const lane = editor.part('canvas-node').and(editor.page.locator(inLane.join()));
	const clip = areaAround(await boxesOf(lane), { left: 40, top: 20, right: 72, bottom: 44 });
	return await editor.page.screenshot({ clip });
}

/** Takes the contact's page in the CRM. */
async function shootContact({ browser, hubspot }: Bench): Promise<Buffer> {
	const viewport = { width: IMAGE_WIDTH, height: 178 };
	const page = await browser.newPage({ viewport, deviceScaleFactor: SCALE });
	await page.setContent(contactPage(hubspot, CONTACT));
	await page.waitForTimeout(1000);
	return await page.screenshot();
}

/** Puts the three pictures into one, with what they show. */
async function composed({ browser }: Bench, pictures: Record<string, Buffer>): Promise<Buffer> {
	const viewport = { width: WIDTH, height: 400 };
	const page = await browser.newPage({ viewport, deviceScaleFactor: SCALE });
	const image = (name: string) =>
		`<img src="data:image/png;base64,${pictures[name]?.toString('base64')}">`;
	await page.setContent(`<style>${STYLE}</style>
		<section><h1><i>1</i>A customer calls</h1>${image('call')}</section>
		<section class="wide"><h1><i>2</i>n8n runs the workflow “HubSpot: log calls”</h1>${image('canvas')}</section>
		<section><h1><i>3</i>Your CRM shows the call and plays it</h1>${image('contact')}</section>`);
	await page.waitForTimeout(500);
	return await page.screenshot({ fullPage: true });
}

const STYLE = `
	body { margin: 0; padding: 12px; background: #dfe3ea; font-family: system-ui, sans-serif }
	section { display: flex; align-items: center; gap: 14px; margin-bottom: 10px }
	section.wide { display: block; margin: 0 0 10px; background: white; border-radius: 8px; overflow: hidden }
	h1 { display: flex; flex: 1; align-items: start; gap: 8px; margin: 0; color: #1d2740; font-size: 16px; line-height: 1.4 }
	.wide h1 { padding: 8px 10px }
	h1 i { display: grid; place-items: center; flex: none; width: 26px; height: 26px; border-radius: 50%;
		background: #ff6d5a; color: white; font-size: 15px; font-style: normal }
	img { display: block; width: ${IMAGE_WIDTH}px; border-radius: 8px }
	.wide img { width: 100% }`;
