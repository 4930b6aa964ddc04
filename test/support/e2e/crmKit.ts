import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';
import { readExample } from '../../../tools/demo/examples';
import { jsonOf, ROOT } from '../../../tools/n8n';
import type { Credential, N8nClient, Workflow } from '../../../tools/n8n';
import type { CrmStandIn } from '../services/crm';
import { errorOf, runToEnd } from './chain';
import { DataTable } from './dataTable';
import { checkSoon, RETRY_MS } from './polls';

/** The workflow that a user selects in a node, by the node's name. */
const CHOSEN: Record<string, string> = {
	'Find Customer': 'find-customer',
	'Log Call': 'log-call',
	'Log Missing Calls': 'log-calls',
	'Show Call': 'log-call',
	'Write Entry': 'write-entry',
	'Call-Back Task': 'call-back-task',
	'Recording Link': 'recording-link',
};

const FOLDER = path.join(ROOT, 'examples/crm');

/** The workflows that all CRMs share. */
export const SHARED = ['log-calls', 'pop-up', 'backfill', 'ledger'];

/** Lists a CRM's workflows so that each comes after those it calls. */
export function workflowsOf(kit: string): string[] {
	const files = readdirSync(path.join(FOLDER, kit)).map((name) => name.replace('.json', ''));
	const first = ['set-up', 'find-customer', 'write-entry', 'log-call'].filter((name) =>
		files.includes(name),
	);
	return [...first, ...files.filter((name) => !first.includes(name)).sort()];
}

const SOON = { interval: [{ field: 'seconds', secondsInterval: 3 }] };
/** How long checking a day can take on a busy machine. */
export const NIGHT_MS = 400_000;

type Settings = Record<string, string | number | boolean>;

/** A time zone where it's afternoon, so that recent calls are on the same day. */
const HOURS_AHEAD = 14 - DateTime.utc().hour;
const ZONE = `Etc/GMT${HOURS_AHEAD > 0 ? '-' : '+'}${Math.abs(HOURS_AHEAD)}`;
const TODAY = DateTime.utc().plus({ hours: HOURS_AHEAD }).toISODate();

/** A CRM's workflows, set up as in its guide. */
export class CrmKit {
	private readonly workflows = new Map<string, Workflow>();

	private constructor(
		private readonly n8n: N8nClient,
		readonly crm: CrmStandIn,
		private readonly credentials: Credential[],
	) {}

	/** Imports all workflows, runs the set-up, enters the employees' extensions, and publishes. */
	static async setUp(
		n8n: N8nClient,
		crm: CrmStandIn,
		pbx: Credential,
		recordingLink?: Workflow,
	): Promise<CrmKit> {
		const { credentialType, title } = crm;
		const own = credentialType
			? [await n8n.createCredential(credentialType, title, crm.credential?.() ?? {})]
			: [];
		const kit = new CrmKit(n8n, crm, [pbx, ...own]);
		if (recordingLink) kit.workflows.set('recording-link', recordingLink);
		for (const name of workflowsOf(crm.kit)) {
			const { id, nodes } = await kit.import(`${crm.kit}/${name}`);
			if (nodes.some(({ type }) => type.endsWith('.executeWorkflowTrigger')))
				await n8n.activate(id);
		}
		expect(await kit.run('set-up', 'Set Up')).toBeUndefined();
		const shared = SHARED.filter((name) => !kit.workflows.has(name));
		for (const name of shared) await kit.import(name, { months: 1 });
		const employees = await kit.table('Employees');
		const listed = (await employees.rows()).map(({ crmUser }) => crmUser);
		// A user's spaces do no harm.
		for (const [crmUser, extension] of Object.entries({ '77': ' 102', '88': '100 ' })) {
			if (listed.includes(crmUser)) await employees.update('crmUser', crmUser, { extension });
			// If the service has no users, a user also enters the employees.
			else await employees.insert([{ crmUser, extension }]);
		}
		expect(await kit.run('backfill', 'Bring In')).toBeUndefined();
		await (await kit.table('Days')).insert([{ day: TODAY }]);
		return kit;
	}

	/** Stores a workflow as shipped, with a user's settings and selections. */
	async import(name: string, settings: Settings = {}): Promise<Workflow> {
		const { crm, n8n } = this;
		const example = await readExample(`crm/${name}.json`, this.credentials, '');
		// With two CRMs in one n8n instance, users rename the tables.
		const text = JSON.stringify(example).replaceAll(
			/CRM (?=Memory|Employees|Days)/g,
			`${crm.title} `,
		);
		const file = JSON.parse(text) as typeof example;
		for (const node of file.nodes) {
			const { parameters } = node;
			checkSoon(node);
			if (node.waitBetweenTries) node.waitBetweenTries = RETRY_MS;
			if (node.name === 'Every Minute') parameters.rule = SOON;
			const chosen = this.workflows.get(CHOSEN[node.name] ?? '')?.id;
			if (chosen) parameters.workflowId = { __rl: true, mode: 'list', value: chosen };
			delete node.disabled;
			enter(parameters, { address: crm.address, ...settings });
		}
		const workflow = await n8n.createWorkflow({
			...file,
			name: `${crm.title}: ${file.name}`,
			settings: { ...file.settings, timezone: ZONE },
		});
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

	/** Reopens today in the table of days, and checks it. Returns its problems, if any. */
	async night(): Promise<string | undefined> {
		await (await this.table('Days')).update('day', TODAY, { state: 'open' });
		const execution = await runToEnd(this.n8n, this.of('ledger'), 'Every Minute', NIGHT_MS);
		expect(errorOf(execution)).toBeUndefined();
		const [{ day, problems } = {}] = jsonOf(execution, 'Close Day');
		expect(day).toBe(TODAY);
		return String(problems) || undefined;
	}

	/** Returns today's row of the table of days. */
	async today() {
		return (await (await this.table('Days')).rows()).find(({ day }) => day === TODAY);
	}

	/** Changes the node Settings of the workflows that log calls, show them, and check days. */
	async enter(settings: Settings): Promise<void> {
		for (const name of ['log-calls', 'pop-up', 'ledger']) {
			const { id, nodes, connections } = structuredClone(this.of(name));
			for (const { parameters } of nodes) enter(parameters, settings);
			this.workflows.set(name, await this.n8n.updateWorkflow(id, { nodes, connections }));
		}
	}

	/** Finds one of its data tables. */
	async table(name: 'Days' | 'Employees' | 'Memory'): Promise<DataTable> {
		return await DataTable.find(this.n8n, `${this.crm.title} ${name}`);
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
