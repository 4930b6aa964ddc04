import type { IDataObject } from 'n8n-workflow';
import { readExample } from '../../../tools/demo/examples';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';
import { runToEnd } from './chain';
import { eventually } from './eventually';
import { checkSoon, RETRY_MS } from './polls';

/** A user's choices in a kit. */
export interface KitChoices {
	credentials: Credential[];
	/** Values for the node Settings, by name. Ignores those that a kit doesn't have. */
	settings: Record<string, string>;
}

interface Assignments {
	assignments?: Array<{ name: string; value: unknown }>;
}

/**
 * Stores a kit of the examples as shipped. It changes only what a user would: credentials, the
 * node Settings, how often it polls, and how long it waits before it tries again.
 */
export async function importKit(
	n8n: N8nClient,
	file: string,
	{ credentials, settings: values }: KitChoices,
): Promise<Workflow> {
	const kit = await readExample(file, credentials, '');
	for (const node of kit.nodes) {
		const { parameters } = node;
		if (node.waitBetweenTries) node.waitBetweenTries = RETRY_MS;
		checkSoon(node);
		const { assignments = [] } = (parameters.assignments ?? {}) as Assignments;
		for (const assignment of assignments)
			assignment.value = values[assignment.name] ?? assignment.value;
	}
	return await n8n.createWorkflow(kit);
}

/** Runs a kit from one of its triggers, as the editor's button does, until it ends. Returns the error, if any. */
export async function runKit(
	n8n: N8nClient,
	kit: Workflow,
	trigger: string,
): Promise<string | undefined> {
	return (await runToEnd(n8n, kit, trigger)).data.resultData.error?.message;
}

/** Changes a value in the node Settings, and saves the kit without publishing it. */
export async function enter(
	n8n: N8nClient,
	kit: Workflow,
	name: string,
	value: unknown,
): Promise<void> {
	const { nodes, connections } = await n8n.getWorkflow(kit.id);
	const settings = nodes.find((node) => node.name === 'Settings');
	const { assignments } = settings?.parameters.assignments as { assignments: IDataObject[] };
	Object.assign(assignments.find((row) => row.name === name) ?? {}, { value });
	await n8n.updateWorkflow(kit.id, { nodes, connections });
}

/** Waits until no execution is running, so that only the test changes anything. */
export async function settle(n8n: N8nClient): Promise<void> {
	await eventually(async () => {
		const running = await n8n.listExecutions({ status: 'running' });
		expect([running, await n8n.listExecutions({ status: 'new' })]).toEqual([[], []]);
	});
}
