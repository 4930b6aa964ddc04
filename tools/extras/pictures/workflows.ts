import { importKit } from '../../../test/support/e2e/kits';
import { boxesOf, save } from './bench';
import type { Area, Bench } from './bench';
import { areaAround, inRows, nodesOf, notesOf, openCanvas } from './canvas';
import { MAIN_CALLFLOW } from './editor';

/** Workflows whose first lane is shown, by file. */
const FIRST_LANES = {
	'round-robin.json': 'routing-workflow',
	'services/telegram.json': 'messages',
	'talk-review.json': 'talk-review',
};

/** The CRMs that one workflow serves. */
const CRMS = ['hubspot', 'pipedrive', 'amocrm', 'bitrix24', 'zendesk', 'google-sheets'];

/** Large enough for all nodes at 100 %. */
const SCREEN = { width: 3200, height: 2200 };
const LANE_HEIGHT = 210;

/** Takes the first lane of workflows that a guide explains. */
export async function shootCanvases(bench: Bench): Promise<void> {
	const { credentials, editor, n8n } = bench;
	await editor.page.setViewportSize(SCREEN);
	for (const [file, name] of Object.entries(FIRST_LANES)) {
		const { id } = await importKit(n8n, file, { credentials, settings: {} });
		await choose(n8n, id);
		await openCanvas(bench, id);
		const nodes = await boxesOf(nodesOf(bench));
		const end = Math.min(...nodes.map(({ y }) => y)) + LANE_HEIGHT;
		await save(name, await inRows(bench, areaAround(nodes.filter(({ y }) => y < end))));
	}
}

/** Takes the canvas of each CRM's workflow, lane by lane. */
export async function shootCrms(bench: Bench): Promise<void> {
	const { credentials, editor, n8n } = bench;
	await editor.page.setViewportSize(SCREEN);
	for (const crm of CRMS) {
		const { id } = await importKit(n8n, `crm/${crm}.json`, { credentials, settings: {} });
		await openCanvas(bench, id);
		const [log, recording, night] = await lanesOf(bench);
		if (!log || !recording || !night) throw new Error(`${crm}: a lane is missing`);
		await save(`crm-${crm}`, await inRows(bench, log));
		await save(`crm-${crm}-recording`, await inRows(bench, recording));
		// The same in all of them.
		if (crm === CRMS[0]) await save('crm-night', await inRows(bench, night));
	}
}

/** Chooses the callflow and the workflows that the canvas's notes name, so that no node has a red mark. */
async function choose(n8n: Bench['n8n'], id: string): Promise<void> {
	const { nodes, connections } = await n8n.getWorkflow(id);
	for (const { type, parameters } of nodes) {
		if (type.endsWith('.virtualPbxRoutingTrigger'))
			Object.assign(parameters, { connect: 'callflow', callflowId: MAIN_CALLFLOW });
		if (type.endsWith('.executeWorkflow'))
			parameters.workflowId = { __rl: true, mode: 'id', value: id };
	}
	await n8n.updateWorkflow(id, { nodes, connections });
}

/** Returns the areas of the lanes: from each note with a number to the next. */
async function lanesOf(bench: Bench): Promise<Area[]> {
	const title = bench.editor.page.locator('h3', { hasText: /^\d\. / });
	const heads = (await boxesOf(notesOf(bench).filter({ has: title })))
		.map(({ y }) => y)
		.sort((a, b) => a - b);
	const nodes = await boxesOf(nodesOf(bench));
	return heads.map((head, index) =>
		areaAround(nodes.filter(({ y }) => y > head && y < (heads[index + 1] ?? Infinity))),
	);
}
