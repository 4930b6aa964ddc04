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

/** A polling trigger under test; its static data lives on between polls, as in n8n. */
export class TestPoller {
	constructor(
		private readonly node: INode,
		private readonly nodeTypes: INodeTypes,
		/** What the node keeps between polls; assign to simulate a loss. */
		public staticData: IDataObject,
	) {}

	/**
	 * Polls once. `manual` is the editor's "Fetch Test Event", which starts from empty static data and keeps none.
	 * Gives the items' JSON, or `null` when there is nothing new. Throws what the node threw; static data is
	 * then not saved.
	 */
	async poll(
		mode: 'trigger' | 'manual' = 'trigger',
		activation: WorkflowActivateMode = 'activate',
	) {
		const key = `node:${this.node.name}`;
		const saved = { [key]: mode === 'manual' ? {} : structuredClone(this.staticData) };
		const workflow = makeWorkflow([this.node], {}, this.nodeTypes, { staticData: saved });
		const additionalData = makeAdditionalData(workflow, mode);
		const step = mode === 'manual' ? 'manual' : activation;
		const context = new PollContext(workflow, this.node, additionalData, mode, step);
		const type = this.nodeTypes.getByNameAndVersion(this.node.type, this.node.typeVersion);
		if (!type.poll) throw new Error(`${this.node.type} does not poll`);

		const output = await type.poll.call(context as unknown as IPollFunctions);
		if (mode !== 'manual') {
			const data = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
			this.staticData = (data[key] ?? {}) as IDataObject;
		}
		return output && (output[0] ?? []).map(({ json }) => json);
	}
}
