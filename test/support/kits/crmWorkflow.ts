import type { IDataObject } from 'n8n-workflow';
import { readExample } from '../../../tools/demo/examples';
import type { Credential, Execution, N8nClient, Workflow } from '../../../tools/n8n';
import { callWorkflow, errorOf, runToEnd } from '../e2e/chain';
import { rowsOf } from '../e2e/dataTable';
import { fillSettings } from '../e2e/kits';
import type { Settings } from '../e2e/kits';
import { RETRY_MS } from '../e2e/polls';
import type { CrmStandIn } from '../services/crm';

/** How long a night can take on a busy machine. */
export const NIGHT_MS = 400_000;

/** Further workflows for CRMs. */
export const SHARED = ['pop-up'];

/** The workflow of a CRM in n8n, set up as its note says. */
export class CrmWorkflow {
	private constructor(
		private readonly n8n: N8nClient,
		readonly crm: CrmStandIn,
		readonly workflow: Workflow,
	) {}

	/** Imports the file, chooses the credentials, and enters the employees and other settings. */
	static async setUp(
		n8n: N8nClient,
		crm: CrmStandIn,
		pbx: Credential,
		settings: Settings,
	): Promise<CrmWorkflow> {
		const { credentialType, title } = crm;
		const own = credentialType
			? [await n8n.createCredential(credentialType, title, crm.credential?.() ?? {})]
			: [];
		const file = await readExample(`crm/${crm.kit}.json`, [pbx, ...own], '');
		for (const node of file.nodes) {
			if (node.waitBetweenTries) node.waitBetweenTries = RETRY_MS;
			if (node.type.endsWith('.wait'))
				Object.assign(node.parameters, { amount: 1, unit: 'seconds' });
		}
		fillSettings(file.nodes, { ...(crm.address && { address: crm.address }), ...settings });
		const made = new CrmWorkflow(n8n, crm, await n8n.createWorkflow(file));
		if (file.nodes.some(({ name }) => name === 'Set Up'))
			expect(await made.run('Set Up')).toBeUndefined();
		return made;
	}

	/** Logs one call, as its trigger does. Returns the error, if any. */
	async log(call: IDataObject): Promise<string | undefined> {
		return said(await callWorkflow(this.n8n, this.workflow, [call], NIGHT_MS));
	}

	/** Runs it from one of its triggers. Returns the error, if any. */
	async run(trigger: string): Promise<string | undefined> {
		return said(await runToEnd(this.n8n, this.workflow, trigger, NIGHT_MS));
	}

	/** Checks the calls of the last two days. Returns the errors of those that couldn't be logged. */
	async night(): Promise<string[]> {
		const { id } = this.workflow;
		const [newest] = await this.n8n.listExecutions({ workflowId: id }, 1);
		expect(await this.run('Every Night')).toBeUndefined();
		const all = await this.n8n.listExecutions({ workflowId: id, status: 'error' });
		const failed = all.filter((one) => Number(one.id) > Number(newest?.id ?? 0));
		const executions = failed.map(async (one) => await this.n8n.getExecution(one.id));
		return (await Promise.all(executions)).map((one) => String(said(one)));
	}

	async rows() {
		return await rowsOf(this.n8n, `${this.crm.title} Calls`);
	}
}

function said(execution: Execution): string | undefined {
	const error = errorOf(execution);
	return error && [error.node, error.message, error.details].filter(Boolean).join(': ');
}
