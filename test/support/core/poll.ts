import './environment';
import { PollContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeTypes,
	IPollFunctions,
	Workflow,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { loadNodeTypes } from './types';
import type { ExtraTypes } from './types';
import { makeAdditionalData, makeNode, makeWorkflow } from './workflow';
import type { TestNode } from './workflow';

/** Input of {@link makePoller}. */
export type PollerInput = TestNode & { types?: ExtraTypes };

/**
 * Creates a polling trigger. The test calls its polls.
 *
 * @example
 * const poller = await makePoller({ type: 'virtualPbxRecordTrigger', credential: account });
 * expect(await poller.publish()).toBeNull();
 * expect(await poller.poll()).toEqual([{ id: '...' }]);
 */
export async function makePoller(input: PollerInput): Promise<TestPoller> {
	const { types, ...node } = input;
	const full = makeNode(node);
	return new TestPoller(full, await loadNodeTypes([full.type], types), {});
}

/** A workflow's data in n8n's database, shared by all its triggers. */
interface Database {
	workflow?: { id: string };
	staticData?: IDataObject;
}

/** A polling trigger under test, as n8n 2.41 runs it. */
export class TestPoller {
	/** n8n's cursor, stored by node ID where durable cursors are on. Assign to switch them on. */
	cursor?: IDataObject;
	/** The node's entries in n8n's log. */
	readonly log: string[] = [];
	/** The workflow as it was read when the trigger was published. Undefined while unpublished. */
	private active: { workflow: Workflow; mode: WorkflowActivateMode } | undefined;

	constructor(
		readonly node: INode,
		private readonly nodeTypes: INodeTypes,
		readonly database: Database,
	) {}

	/** Another node of the same workflow: a renamed one has the same ID, a new one its own. */
	other(changes: Partial<INode>): TestPoller {
		return new TestPoller({ ...this.node, ...changes }, this.nodeTypes, this.database);
	}

	/**
	 * Publishes the trigger, alone or with others that then share its copy of the static data. n8n awaits the
	 * first poll, and saves static data at the end, even after a failure.
	 *
	 * @param attempts how many times n8n tries
	 * @returns the items' JSON of the first poll
	 * @throws what the last attempt threw
	 */
	async publish(
		mode: WorkflowActivateMode = 'activate',
		{ attempts = 1, together = [] as TestPoller[] } = {},
	): Promise<IDataObject[] | null> {
		const workflow = this.read(together);
		for (const other of together) await other.start(workflow, mode, 1);
		return await this.start(workflow, mode, attempts);
	}

	private async start(workflow: Workflow, mode: WorkflowActivateMode, attempts: number) {
		try {
			const output = await this.tryFirst(workflow, mode, attempts);
			this.active = { workflow, mode };
			return output;
		} finally {
			this.save(workflow);
		}
	}

	private async tryFirst(workflow: Workflow, mode: WorkflowActivateMode, attempts: number) {
		for (let attempt = 1; attempt < attempts; attempt++) {
			try {
				return await this.run(workflow, mode, { isFirst: true });
			} catch {
				// n8n tries again.
			}
		}
		return await this.run(workflow, mode, { isFirst: true });
	}

	/** Polls again after publishing. n8n saves static data only with items. */
	async poll(): Promise<IDataObject[] | null> {
		if (!this.active) return await this.publish();
		const { workflow, mode } = this.active;
		const output = await this.run(workflow, mode);
		// n8n drops a poll's items if its trigger was unpublished or republished meanwhile.
		if (this.active?.workflow !== workflow) return null;
		if (output) this.save(workflow);
		return output;
	}

	/** Polls like n8n's durable scheduler, which reads the workflow for each poll. */
	async pollDurably(budgetMs = 48_000): Promise<IDataObject[] | null> {
		const workflow = this.read();
		const output = await this.run(workflow, 'update', { budgetMs });
		if (output) this.save(workflow);
		return output;
	}

	/** Runs the editor's "Fetch Test Event", which starts with empty static data and keeps none. */
	async fetchTestEvent(): Promise<IDataObject[] | null> {
		const workflow = makeWorkflow([this.node], {}, this.nodeTypes, { staticData: {} });
		return await this.run(workflow, 'manual', { mode: 'manual' });
	}

	private read(together: readonly TestPoller[] = []): Workflow {
		const { workflow, staticData = {} } = structuredClone(this.database);
		const nodes = [this, ...together].map(({ node }) => node);
		return makeWorkflow(nodes, {}, this.nodeTypes, { staticData, ...workflow });
	}

	/** Writes the workflow's whole static data, as n8n does even from an outdated copy. */
	save({ staticData }: { staticData: IDataObject } = this.active?.workflow ?? this.read()): void {
		this.database.staticData = JSON.parse(JSON.stringify(staticData)) as IDataObject;
	}

	private async run(
		workflow: Workflow,
		activation: WorkflowActivateMode,
		how: { budgetMs?: number; mode?: WorkflowExecuteMode; isFirst?: boolean } = {},
	): Promise<IDataObject[] | null> {
		const { budgetMs, mode = 'trigger', isFirst = false } = how;
		const additionalData = makeAdditionalData(workflow, mode);
		const context = new PollContext(workflow, this.node, additionalData, mode, activation);
		const note = (words: string) => void this.log.push(words);
		const logger = { debug: () => undefined, info: () => undefined, warn: note, error: note };
		Object.defineProperty(context, 'logger', { value: logger });
		const staged = structuredClone(this.cursor);
		if (staged) Object.assign(context, { resolveNodeStaticData: () => staged });
		if (budgetMs !== undefined) Object.assign(context, { getPollBudgetMs: () => budgetMs });
		const type = this.nodeTypes.getByNameAndVersion(this.node.type, this.node.typeVersion);
		if (!type.poll) throw new Error(`${this.node.type} does not poll`);

		const output = await type.poll.call(context as unknown as IPollFunctions);
		// n8n stores no durable cursor for a first poll without items.
		if (staged && (output || !isFirst)) this.cursor = staged;
		return output && jsonOf(output);
	}
}

function jsonOf([items = []]: INodeExecutionData[][]): IDataObject[] {
	return items.map(({ json }) => json);
}
