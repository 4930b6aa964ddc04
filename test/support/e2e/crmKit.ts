import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readExample } from '../../../tools/demo/examples';
import { jsonOf, makeNode, ROOT } from '../../../tools/n8n';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';
import type { CrmStandIn } from '../services/crm';
import { chainOf, errorOf, runChain, runToEnd } from './chain';
import { POLL_TIMES } from './polls';

/** The workflow that a user chooses in a node of each name. */
const CHOSEN: Record<string, string> = {
	'Find Customer': 'find-customer',
	'Log Call': 'log-call',
	'Show Call': 'log-call',
	'Write Entry': 'write-entry',
	'Call-Back Task': 'call-back-task',
	'Recording Link': 'recording-link',
};

const FOLDER = path.join(ROOT, 'examples/crm');

/** The workflows that all CRMs share. */
export const SHARED = ['log-calls', 'pop-up'];

/** Lists a CRM's workflows, in the order in which one chooses another. */
export function workflowsOf(kit: string): string[] {
	const files = readdirSync(path.join(FOLDER, kit)).map((name) => name.replace('.json', ''));
	const first = ['set-up', 'find-customer', 'write-entry', 'log-call'].filter((name) =>
		files.includes(name),
	);
	return [...first, ...files.filter((name) => !first.includes(name)).sort()];
}

/** How long a day can take: much more than usual, for a busy machine. */
export const NIGHT_MS = 400_000;

type Settings = Record<string, string | boolean>;

/** A CRM's workflows, set up as a user does by its guide. */
export class CrmKit {
	private readonly workflows = new Map<string, Workflow>();

	private constructor(
		private readonly n8n: N8nClient,
		readonly crm: CrmStandIn,
		private readonly credentials: Credential[],
	) {}

	/** Imports all workflows, runs the set-up, enters an employee's extension, and publishes. */
	static async setUp(
		n8n: N8nClient,
		crm: CrmStandIn,
		pbx: Credential,
		recordingLink: Workflow,
	): Promise<CrmKit> {
		const { credentialType, title } = crm;
		const own = credentialType
			? [await n8n.createCredential(credentialType, title, crm.credential?.() ?? {})]
			: [];
		const kit = new CrmKit(n8n, crm, [pbx, ...own]);
		kit.workflows.set('recording-link', recordingLink);
		for (const name of workflowsOf(crm.kit)) {
			const { id, nodes } = await kit.import(`${crm.kit}/${name}`);
			if (nodes.some(({ type }) => type.endsWith('.executeWorkflowTrigger')))
				await n8n.activate(id);
		}
		expect(await kit.run('set-up', 'Set Up')).toBeUndefined();
		const shared = SHARED.filter((name) => !kit.workflows.has(name));
		for (const name of shared) await kit.import(name);
		// Where the service has no users, a user enters the employee, too.
		const value = { extension: '100', crmUser: '88' };
		const columns = { mappingMode: 'defineBelow', value, schema: [] };
		await kit.onTable('Employees', 'upsert', {
			filters: { conditions: [{ keyName: 'crmUser', condition: 'eq', keyValue: '88' }] },
			columns,
		});
		return kit;
	}

	/** Stores a workflow as shipped, with what a user enters and chooses. */
	async import(name: string, settings: Settings = {}): Promise<Workflow> {
		const { crm, n8n } = this;
		const example = await readExample(`crm/${name}.json`, this.credentials, '');
		// With two CRMs in one n8n instance, users rename the tables.
		const text = JSON.stringify(example).replaceAll(/CRM (?=Memory|Employees)/g, `${crm.title} `);
		const file = JSON.parse(text) as typeof example;
		for (const node of file.nodes) {
			const { parameters } = node;
			if (parameters.pollTimes) parameters.pollTimes = POLL_TIMES;
			const chosen = this.workflows.get(CHOSEN[node.name] ?? '')?.id;
			if (chosen) parameters.workflowId = { __rl: true, mode: 'list', value: chosen };
			delete node.disabled;
			enter(parameters, { address: crm.address, ...settings });
		}
		const workflow = await n8n.createWorkflow({ ...file, name: `${crm.title}: ${file.name}` });
		this.workflows.set(name.replace(/^.*\//, ''), workflow);
		return workflow;
	}

	/** Publishes a workflow, so that its triggers start it. */
	async publish(name: string): Promise<void> {
		await this.n8n.activate(this.of(name).id);
	}

	/** Runs a workflow to its end. Returns the error, if any. */
	async run(name: string, trigger: string): Promise<string | undefined> {
		const { data } = await runToEnd(this.n8n, this.of(name), trigger, NIGHT_MS);
		const { error } = data.resultData;
		return error && [error.message, error.description].filter(Boolean).join('\n');
	}

	/** Runs what adds missing calls every night. Returns the error, if any. */
	async night(): Promise<string | undefined> {
		return await this.run('log-calls', 'Every Night');
	}

	/** Changes the node Settings of the workflow that logs calls. */
	async enter(settings: Settings): Promise<void> {
		const { id, nodes, connections } = structuredClone(this.of('log-calls'));
		for (const { parameters } of nodes) enter(parameters, settings);
		this.workflows.set('log-calls', await this.n8n.updateWorkflow(id, { nodes, connections }));
	}

	/** Does something with the rows of one of its data tables. */
	async onTable(
		table: 'Employees' | 'Memory',
		operation: string,
		parameters: INodeParameters,
	): Promise<IDataObject[]> {
		const dataTableId = { __rl: true, mode: 'name', value: `${this.crm.title} ${table}` };
		const all = { resource: 'row', operation, dataTableId, ...parameters };
		const node = makeNode('Rows', 'n8n-nodes-base.dataTable', all, { typeVersion: 1.1 });
		const execution = await runChain(this.n8n, chainOf('Look at a table', [node]));
		expect(errorOf(execution)).toBeUndefined();
		return jsonOf(execution, 'Rows').filter(({ id }) => id !== undefined);
	}

	of(name: string): Workflow {
		const workflow = this.workflows.get(name);
		if (!workflow) throw new Error(`${name} is not imported`);
		return workflow;
	}
}

function enter(parameters: INodeParameters, settings: Settings): void {
	const { assignments = [] } = (parameters.assignments ?? {}) as {
		assignments?: Array<{ name: string; value: unknown }>;
	};
	for (const one of assignments) one.value = settings[one.name] ?? one.value;
}
