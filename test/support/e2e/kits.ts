import type { IDataObject, INode } from 'n8n-workflow';
import { readExample } from '../../../tools/demo/examples';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';
import { runToEnd } from './chain';
import { eventually } from './eventually';
import { checkSoon, RETRY_MS } from './polls';

/** Values for a workflow's node Settings by name, or what becomes of a value. */
export type Settings = Record<string, unknown>;

/** Enters values in the node Settings. Ignores those that it doesn't have. */
export function fillSettings(nodes: INode[], settings: Settings): void {
	const node = nodes.find(({ name }) => name === 'Settings');
	const { assignments = [] } = (node?.parameters.assignments ?? {}) as {
		assignments?: IDataObject[];
	};
	for (const one of assignments) {
		const value = settings[String(one.name)] ?? one.value;
		one.value = (typeof value === 'function' ? value(one.value) : value) as string;
	}
}

/**
 * Stores a workflow of the examples as shipped. It changes only what a user would: credentials, the node Settings, how
 * often it polls, how long it waits before it tries again, the CRM's address, and the callflow connection.
 */
export async function importKit(
	n8n: N8nClient,
	file: string,
	{
		credentials,
		settings,
		url = '',
	}: { credentials: Credential[]; settings: Settings; url?: string },
): Promise<Workflow> {
	const kit = await readExample(file, credentials, url);
	for (const node of kit.nodes) {
		if (node.waitBetweenTries) node.waitBetweenTries = RETRY_MS;
		if (node.type.endsWith('.virtualPbxRoutingTrigger')) node.parameters.connect = 'manual';
		checkSoon(node);
	}
	fillSettings(kit.nodes, settings);
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
	{ id }: Workflow,
	name: string,
	value: unknown,
): Promise<void> {
	const { nodes, connections } = await n8n.getWorkflow(id);
	fillSettings(nodes, { [name]: value });
	await n8n.updateWorkflow(id, { nodes, connections });
}

/** Waits until no execution is running, so that only the test changes anything. */
export async function settle(n8n: N8nClient): Promise<void> {
	await eventually(async () => {
		const running = await n8n.listExecutions({ status: 'running' });
		expect([running, await n8n.listExecutions({ status: 'new' })]).toEqual([[], []]);
	});
}
