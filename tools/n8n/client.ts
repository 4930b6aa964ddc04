import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'flatted';
import type { ICredentialDataDecryptedObject, IRunExecutionData } from 'n8n-workflow';
import { OWNER } from './environment';
import type { Credential, Execution, ExecutionSummary, Workflow, WorkflowFile } from './flow';
import { Rest, RestError } from './rest';

/** The pause between two questions: each costs n8n 10 ms of computing time. */
const POLL_MS = 300;

interface Publication {
	status: 'in_progress' | 'published' | 'partial' | 'failed' | 'not_published';
	triggers: Array<{ nodeId: string; status: string; errorMessage: string | null }>;
}

/** Drives n8n over its REST API, as the editor does. All methods throw RestError if n8n refuses. */
export class N8nClient {
	private constructor(readonly rest: Rest) {}

	/** Signs in to n8n as the owner. The session survives a restart. */
	static async signIn(url: string): Promise<N8nClient> {
		const rest = new Rest(url);
		await rest.signIn(OWNER.email, OWNER.password);
		return new N8nClient(rest);
	}

	/** Stores a credential. The name needs 3 to 128 characters. */
	async createCredential(
		type: string,
		name: string,
		data: ICredentialDataDecryptedObject,
	): Promise<Credential> {
		return await this.rest.request('POST', 'credentials', { name, type, data });
	}

	/** Replaces a credential's data, as saving its dialog does. */
	async updateCredential(
		{ id, name, type }: Credential,
		data: ICredentialDataDecryptedObject,
	): Promise<Credential> {
		return await this.rest.request('PATCH', `credentials/${id}`, { name, type, data });
	}

	async listCredentials(): Promise<Credential[]> {
		return await this.rest.request('GET', 'credentials');
	}

	/** Tests a stored credential with the given data, as the dialog does after saving. */
	async testCredential(
		{ id, name, type }: Credential,
		data: ICredentialDataDecryptedObject,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const credentials = { id, name, type, data };
		return await this.rest.request('POST', 'credentials/test', { credentials });
	}

	/** Stores a workflow, inactive. */
	async createWorkflow(workflow: WorkflowFile): Promise<Workflow> {
		const settings = { executionOrder: 'v1' };
		return await this.rest.request('POST', 'workflows', { settings, ...workflow });
	}

	async getWorkflow(id: string): Promise<Workflow> {
		return await this.rest.request('GET', `workflows/${id}`);
	}

	async listWorkflows(): Promise<Array<Pick<Workflow, 'id' | 'name' | 'active'>>> {
		return await this.rest.request('GET', 'workflows');
	}

	/** Saves a draft. The published version changes only with the next `activate`. */
	async updateWorkflow(id: string, changes: Partial<WorkflowFile>): Promise<Workflow> {
		return await this.rest.request('PATCH', `workflows/${id}`, changes);
	}

	/** Changes parameters of the node with this name, keeping the others. Returns the draft. */
	async changeNode(id: string, name: string, parameters: object): Promise<Workflow> {
		const { nodes, connections } = await this.getWorkflow(id);
		Object.assign(nodes.find((node) => node.name === name)?.parameters ?? {}, parameters);
		return await this.updateWorkflow(id, { nodes, connections });
	}

	/** Publishes a workflow's newest version, waits until that is done, and throws a node's error. */
	async activate(id: string): Promise<Workflow> {
		const { versionId } = await this.getWorkflow(id);
		const path = `workflows/${id}/activate`;
		const workflow = await this.rest.request<Workflow>('POST', path, { versionId });
		const failed = (await this.publication(id)).find(({ status }) => status === 'failed');
		if (failed) throw new Error(`The publication failed: ${failed.errorMessage}`);
		return workflow;
	}

	/** Unpublishes a workflow and waits until it is done. */
	async deactivate(id: string): Promise<void> {
		await this.rest.request('POST', `workflows/${id}/deactivate`, {});
		await this.publication(id);
	}

	/** Returns the current state of a workflow's publication; `not_published` in older n8n versions. */
	async publicationOf(id: string): Promise<Publication> {
		const path = `workflows/${id}/publication-status`;
		return await this.rest.request<Publication>('GET', path).catch((error: unknown) => {
			if (!(error instanceof RestError) || error.status !== 404) throw error;
			return { status: 'not_published', triggers: [] };
		});
	}

	/** Waits until (un)publishing is done. Returns the triggers' states; none in older n8n versions. */
	private async publication(id: string): Promise<Publication['triggers']> {
		for (;;) {
			const { status, triggers } = await this.publicationOf(id);
			if (status !== 'in_progress') return triggers;
			await sleep(POLL_MS);
		}
	}

	/**
	 * Runs a workflow manually from one of its triggers. A webhook trigger starts to listen for a test event, and
	 * `waitingForWebhook` is true. Any other runs immediately, and `executionId` is returned.
	 */
	async runManually(
		workflow: Workflow,
		trigger: string,
	): Promise<{ executionId?: string; waitingForWebhook?: boolean }> {
		const body = { workflowData: workflow, triggerToStartFrom: { name: trigger } };
		const headers = { 'push-ref': `tests-${workflow.id}` };
		return await this.rest.request('POST', `workflows/${workflow.id}/run`, body, headers);
	}

	/** Stops listening for a test event. n8n removes the trigger's webhooks a moment after its response. */
	async stopListening(workflowId: string): Promise<void> {
		await this.rest.request('DELETE', `test-webhook/${workflowId}`);
	}

	/** Lists the newest executions first. */
	async listExecutions(
		{ status, ...filter }: { workflowId?: string; status?: ExecutionSummary['status'] } = {},
		limit = 100,
	): Promise<ExecutionSummary[]> {
		const query = new URLSearchParams({
			filter: JSON.stringify({ ...filter, ...(status && { status: [status] }) }),
			limit: String(limit),
		});
		const path = `executions?${query.toString()}`;
		return (await this.rest.request<{ results: ExecutionSummary[] }>('GET', path)).results;
	}

	async getExecution(id: string): Promise<Execution> {
		const path = `executions/${id}`;
		const stored = await this.rest.request<ExecutionSummary & { data: string }>('GET', path);
		return { ...stored, data: parse(stored.data) as IRunExecutionData };
	}

	/**
	 * Waits until a workflow has `count` finished executions and returns all of them, oldest first. With `after`, an
	 * execution ID, only newer ones count. Throws on timeout.
	 */
	async waitForExecutions(
		workflowId: string,
		{ count = 1, after = '0', withinMs = 90_000 } = {},
	): Promise<Execution[]> {
		const deadline = Date.now() + withinMs;
		for (;;) {
			const all = await this.listExecutions({ workflowId });
			const found = all.filter(({ id }) => Number(id) > Number(after));
			const finished = found.filter(({ status }) => !['new', 'running'].includes(status));
			if (finished.length >= count) {
				const executions: Execution[] = [];
				// One by one: a proxy in front of a busy n8n instance rejects some of many parallel requests.
				for (const { id } of finished.reverse()) executions.push(await this.getExecution(id));
				return executions;
			}
			const states = found.map(({ status }) => status).join(', ') || 'none';
			if (Date.now() > deadline)
				throw new Error(`${workflowId} should have ${count} executions; it has: ${states}`);
			await sleep(POLL_MS);
		}
	}
}
