import './environment';
import { TriggerContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeTypes,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { inARow } from '../../../tools/n8n/flow';
import { runNode } from './run';
import { loadNodeTypes } from './types';
import { makeAdditionalData, makeNode, makeWorkflow } from './workflow';
import type { TestNode } from './workflow';

/** Creates a trigger that starts executions by a schedule of its own. The test calls its ticks. */
export async function makeRecordTrigger(input: TestNode): Promise<TestRecordTrigger> {
	const node = makeNode(input);
	return new TestRecordTrigger(node, input, await loadNodeTypes([node.type]), { keys: new Set() });
}

/** The contents of n8n's database: the workflow's data, and the deduplication keys of all executions. */
interface Database {
	workflow?: { id: string };
	staticData?: IDataObject;
	keys: Set<string>;
}

export interface Started {
	items: INodeExecutionData[];
	key: string | undefined;
}

/** An execution's end as n8n reports it. `lost` means that n8n dies before it stores it. */
type Ending = IRun['status'] | 'lost' | Error;

const opened: TestRecordTrigger[] = [];
if (typeof afterEach === 'function')
	afterEach(async () => {
		for (const trigger of opened.splice(0)) await trigger.unpublish();
	});

/** A record trigger under test, as n8n 2.41 runs it. */
export class TestRecordTrigger {
	/** The node's entries in n8n's log, and the failed executions that it saved. */
	readonly log: string[] = [];
	readonly failures: Error[] = [];
	/** All executions, without those that n8n dropped, and how many it dropped. */
	readonly executions: Started[] = [];
	duplicates = 0;
	expressions: string[] = [];
	/** How an execution ends; by default well, at once. */
	ending: (started: Started) => unknown = () => 'success';
	private active: { workflow: Workflow; response: ITriggerResponse } | undefined;
	private tick: ((at: Date) => unknown) | undefined;

	constructor(
		readonly node: INode,
		private readonly input: TestNode,
		private readonly nodeTypes: INodeTypes,
		readonly database: Database,
	) {
		opened.push(this);
	}

	/** Another node of the same workflow: a renamed one has the same ID, a new one its own. */
	other(changes: Partial<INode>): TestRecordTrigger {
		const node = { ...this.node, ...changes };
		return new TestRecordTrigger(node, this.input, this.nodeTypes, this.database);
	}

	/**
	 * Publishes the trigger, alone or with others that then share its copy of the static data, which n8n saves at the
	 * end, even after a failure. Unless n8n starts, waits for the first check.
	 *
	 * @param attempts how many times n8n tries
	 * @returns the items' JSON of the first check
	 * @throws what the last attempt threw
	 */
	async publish(
		mode: WorkflowActivateMode = 'activate',
		{ attempts = 1, together = [] as TestRecordTrigger[] } = {},
	): Promise<IDataObject[] | null> {
		const workflow = this.read(together);
		for (const other of together) await other.start(workflow, mode, 1);
		await this.start(workflow, mode, attempts);
		return mode === 'init' || mode === 'leadershipChange' ? null : await this.poll();
	}

	async unpublish(): Promise<void> {
		this.tick = undefined;
		await this.active?.response.closeFunction?.();
		if (this.active) this.save();
		this.active = undefined;
	}

	/** Runs the check of the schedule, and waits for the executions that it starts. Returns their items' JSON. */
	async poll(checks = 2): Promise<IDataObject[] | null> {
		if (!this.active) return await this.publish();
		const before = this.executions.length;
		// One check can be under way.
		for (let check = 0; check < checks; check++) await this.tick?.(new Date());
		for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
		const items = this.executions.slice(before).flatMap((one) => one.items);
		return items.length === 0 ? null : items.map(({ json }) => json);
	}

	/** Runs the editor's "Execute step". Throws what n8n shows. */
	async executeStep(): Promise<IDataObject[]> {
		const { items, error } = await runNode({ ...this.input, mode: 'manual' });
		if (error) throw new Error(error.message);
		return items;
	}

	/** Writes the workflow's whole static data, as n8n does even from an outdated copy. */
	save({ staticData }: { staticData: IDataObject } = this.active?.workflow ?? this.read()): void {
		this.database.staticData = JSON.parse(JSON.stringify(staticData)) as IDataObject;
	}

	private async start(workflow: Workflow, mode: WorkflowActivateMode, attempts: number) {
		await this.active?.response.closeFunction?.();
		try {
			let started: typeof this.active;
			// n8n tries again after a failure.
			for (let attempt = 1; attempt < attempts && !started; attempt++)
				started = await this.call(workflow, mode).catch(() => undefined);
			this.active = started ?? (await this.call(workflow, mode));
		} finally {
			this.save(workflow);
		}
	}

	private read(together: readonly TestRecordTrigger[] = []): Workflow {
		const { workflow, staticData = {} } = this.database;
		const nodes = [this, ...together].map(({ node }) => node);
		const more = { staticData: structuredClone(staticData), ...workflow };
		return makeWorkflow(nodes, inARow(...nodes.map(({ name }) => name)), this.nodeTypes, more);
	}

	private async call(workflow: Workflow, mode: WorkflowActivateMode) {
		const context = new TriggerContext(
			workflow,
			this.node,
			makeAdditionalData(workflow, 'trigger'),
			'trigger',
			mode,
			(...[[items = []], , done, key]) => void this.execute(workflow, { items, key }, done),
			undefined,
			(error) => void this.failures.push(error),
			{
				registerCron: ({ expression }, tick) => {
					this.expressions.push(expression);
					this.tick = tick;
				},
			},
		);
		const note = (words: string) => void this.log.push(words);
		const logger = { debug: () => undefined, info: () => undefined, warn: note, error: note };
		Object.defineProperty(context, 'logger', { value: logger });
		const type = this.nodeTypes.getByNameAndVersion(this.node.type, this.node.typeVersion);
		const response = await type.trigger?.call(context as unknown as ITriggerFunctions);
		if (!response) throw new Error(`${this.node.type} gave nothing to close`);
		return { workflow, response };
	}

	/** Saves static data, and then the execution unless its key is known, as n8n does. */
	private async execute(
		workflow: Workflow,
		started: Started,
		done: Parameters<ITriggerFunctions['emit']>[2],
	): Promise<void> {
		this.save(workflow);
		const { key = '' } = started;
		if (this.database.keys.has(key)) {
			this.duplicates++;
			done?.resolve(undefined as unknown as IRun);
			return;
		}
		const ending = this.ending(started);
		if (ending === 'lost') return;
		if (ending instanceof Error && !('reason' in ending)) return void done?.reject(ending);
		this.database.keys.add(key);
		this.executions.push(started);
		const ended = (await ending) as Ending;
		if (ended instanceof Error) done?.reject(ended);
		else done?.resolve({ status: ended } as IRun);
	}
}
