import './environment';
import { PollContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeTypes,
	IPollFunctions,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { loadNodeTypes } from './types';
import type { ExtraTypes } from './types';
import { makeAdditionalData, makeNode, makeWorkflow } from './workflow';
import type { TestNode } from './workflow';

/** Input of {@link makePoller}. */
export type PollerInput = TestNode & { types?: ExtraTypes; staticData?: IDataObject };

/**
 * Makes a polling trigger whose polls the test calls itself.
 *
 * @example
 * const poller = await makePoller({ type: 'virtualPbxRecordTrigger', credential: account });
 * expect(await poller.poll()).toEqual([{ id: '...' }]);
 */
export async function makePoller(input: PollerInput): Promise<TestPoller> {
	const { types, staticData, ...node } = input;
	const full = makeNode(node);
	return new TestPoller(full, await loadNodeTypes([full.type], types), staticData ?? {});
}

/** A polling trigger under test; its workflow's static data lives on between polls, as in n8n. */
export class TestPoller {
	/** The static data of the whole workflow, as n8n saves it. */
	saved: IDataObject;
	/** What n8n stores for the node's ID where durable cursors are on; assign to switch them on. */
	cursor?: IDataObject;

	constructor(
		readonly node: INode,
		private readonly nodeTypes: INodeTypes,
		staticData: IDataObject,
	) {
		this.saved = { [`node:${node.name}`]: staticData };
	}

	/** What n8n keeps for the node by its name between polls; assign to simulate a loss. */
	get staticData(): IDataObject {
		return (this.saved[`node:${this.node.name}`] ?? {}) as IDataObject;
	}

	set staticData(data: IDataObject) {
		this.saved = { [`node:${this.node.name}`]: data };
	}

	/** Another node of the same workflow: a renamed one has the same ID, a new one has its own. */
	other(changes: Partial<INode>): TestPoller {
		const poller = new TestPoller({ ...this.node, ...changes }, this.nodeTypes, {});
		poller.saved = this.saved;
		return poller;
	}

	/**
	 * Polls once. `manual` is the editor's "Fetch Test Event", which starts from empty static data and keeps none.
	 * Gives the items' JSON, or `null` when there is nothing new. Throws what the node threw; static data is
	 * then not saved.
	 *
	 * @param budgetMs what n8n's durable scheduler gives a poll
	 */
	async poll(
		mode: 'trigger' | 'manual' = 'trigger',
		activation: WorkflowActivateMode = 'activate',
		budgetMs?: number,
	) {
		const saved = mode === 'manual' ? {} : structuredClone(this.saved);
		const workflow = makeWorkflow([this.node], {}, this.nodeTypes, { staticData: saved });
		const additionalData = makeAdditionalData(workflow, mode);
		const step = mode === 'manual' ? 'manual' : activation;
		const context = new PollContext(workflow, this.node, additionalData, mode, step);
		const staged = structuredClone(this.cursor);
		if (staged) Object.assign(context, { resolveNodeStaticData: () => staged });
		if (budgetMs !== undefined) Object.assign(context, { getPollBudgetMs: () => budgetMs });
		const type = this.nodeTypes.getByNameAndVersion(this.node.type, this.node.typeVersion);
		if (!type.poll) throw new Error(`${this.node.type} does not poll`);

		const output = await type.poll.call(context as unknown as IPollFunctions);
		if (mode !== 'manual')
			this.saved = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
		if (staged) this.cursor = staged;
		return output && (output[0] ?? []).map(({ json }) => json);
	}
}
