import './environment';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TriggerContext } from 'n8n-core';
import type {
	INode,
	INodeTypes,
	ITriggerFunctions,
	ITriggerResponse,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { nodeRuntimes } from '../../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';
import { ListeningTrigger } from './listeningTrigger';
import type { HookName, Side, Turn, WorkflowIdentity } from './triggerHost';
import { loadNodeTypes } from './types';
import type { ExtraTypes } from './types';
import { makeAdditionalData, makeNode } from './workflow';
import type { TestNode } from './workflow';

/**
 * How n8n publishes: `background` since 2.41 (hooks and `trigger()` in parallel, five attempts with
 * `delete` after each failure), `older` before it and with N8N_USE_WORKFLOW_PUBLICATION_SERVICE=false.
 */
export type PublishingWay = 'background' | 'older';

/** Both, for `describe.each`. */
export const BOTH_WAYS: readonly PublishingWay[] = ['background', 'older'];

/** n8n waits 1, 2, 4 and 8 s between its attempts. */
const PAUSES_MS = [10, 20, 40, 80];

/** Input of {@link startTrigger}. */
export type TriggerInput = TestNode & {
	types?: ExtraTypes;
	/** Shared by the triggers of one workflow. */
	workflow?: WorkflowIdentity;
	/** Nodes after the trigger, each feeding the next. */
	behind?: TestNode[];
	/** How n8n publishes, by default in the background. */
	way?: PublishingWay | undefined;
};

/**
 * Sets up a webhook trigger as n8n would. It listens on its URLs, so that the sandbox can deliver to them.
 * Nothing is registered until `activate()`. Close it after the test.
 *
 * @example
 * const trigger = await startTrigger({ type: 'virtualPbxTrigger', credential: account, parameters: { events: ['ended'] } });
 * await trigger.activate();
 * await pbx.call();
 * expect(trigger.executions).toEqual([[expect.objectContaining({ event: 'ended' })]]);
 * await trigger.deactivate();
 * await trigger.close();
 */
export async function startTrigger(input: TriggerInput): Promise<TestTrigger> {
	const { types, workflow, behind = [], way = 'background', ...testNode } = input;
	const node = makeNode({ webhookId: randomUUID(), ...testNode });
	const nodes: [INode, ...INode[]] = [node, ...behind.map(makeNode)];
	const nodeTypes = await loadNodeTypes(
		nodes.map(({ type }) => type),
		types,
	);
	const trigger = new TestTrigger(nodes, nodeTypes, way, workflow);
	await trigger.listen();
	return trigger;
}

/** A webhook trigger under test, which n8n publishes and unpublishes. */
export class TestTrigger extends ListeningTrigger {
	/** Failed executions that the node requested, which start the error workflow. */
	readonly reported: Error[] = [];
	/** The node's scheduled calls while it is active. */
	private crons: Array<() => unknown> = [];
	private running: ITriggerResponse | undefined;

	constructor(
		nodes: [INode, ...INode[]],
		nodeTypes: INodeTypes,
		private readonly way: PublishingWay,
		identity: WorkflowIdentity | undefined,
	) {
		super(nodes, nodeTypes, identity);
	}

	/**
	 * Activates as n8n does: `checkExists`, then `create` if it returned false, for every webhook, with
	 * `trigger()` after or in parallel. After a failure, n8n calls `delete`. With `init` it acts as at
	 * n8n's start. Throws what the node threw.
	 */
	async activate(
		mode: WorkflowActivateMode = 'activate',
		side: Side = 'production',
	): Promise<void> {
		const turn = this.turn(mode, side);
		if (this.way === 'older' || side === 'test') {
			try {
				await this.register(turn);
			} catch (error) {
				await this.deactivate(side);
				throw error;
			}
			this.save(turn);
			if (side === 'production') await this.run(turn);
			return;
		}
		const running = this.run(turn);
		try {
			await this.registerInAttempts(turn);
		} finally {
			await running;
			this.save(turn);
		}
	}

	/** Restarts n8n after a kill: a new process without this one's memory. */
	async restart(mode: WorkflowActivateMode = 'init'): Promise<void> {
		nodeRuntimes.clear();
		this.running = undefined;
		this.crons = [];
		await this.activate(mode);
	}

	/** Publishes a new version as n8n does for a changed trigger: tears the old one down, then activates. */
	async republish(changes: INode['parameters'] = {}): Promise<void> {
		await this.deactivate();
		this.setParameters(changes);
		await this.activate('update');
	}

	private async register(turn: Turn): Promise<void> {
		for (const webhook of this.webhooks) {
			if (await this.call('checkExists', webhook, turn)) continue;
			await this.call('create', webhook, turn);
		}
	}

	private async registerInAttempts(turn: Turn): Promise<void> {
		for (let attempt = 0; ; attempt++) {
			try {
				await this.register(turn);
				return;
			} catch (error) {
				await this.remove(turn);
				const pause = PAUSES_MS[attempt];
				if (pause === undefined) throw error;
				await sleep(pause);
			}
		}
	}

	/** Calls `delete` for every webhook, and ignores failures as n8n does. */
	private async remove(turn: Turn): Promise<void> {
		for (const webhook of this.webhooks)
			await this.call('delete', webhook, { ...turn, mode: 'update' }).catch(() => false);
	}

	private async run({ workflow, mode }: Turn): Promise<void> {
		await this.stop();
		const fail = () => assert.fail('not to be called');
		const context = new TriggerContext(
			workflow,
			this.node,
			makeAdditionalData(workflow, 'trigger', this.instanceUrl),
			'trigger',
			mode,
			fail,
			fail,
			(error) => void this.reported.push(error as Error),
			{
				registerCron: (_, onTick) => void this.crons.push(() => onTick(new Date())),
			},
		);
		const logged = Object.defineProperty(context, 'logger', { value: this.logger });
		this.running = await this.type.trigger?.call(logged as unknown as ITriggerFunctions);
	}

	private async stop(): Promise<void> {
		await this.running?.closeFunction?.();
		this.running = undefined;
		this.crons = [];
	}

	/** Lets minutes pass for an active trigger, and waits for what it does meanwhile. */
	async pass(minutes: number): Promise<void> {
		for (let count = 0; count < minutes; count++)
			await Promise.all(this.crons.map(async (tick) => await tick()));
	}

	/** Deactivates as n8n does. */
	async deactivate(side: Side = 'production'): Promise<void> {
		const turn = this.turn('update', side);
		await this.remove(turn);
		this.save(turn);
		if (side === 'production') await this.stop();
	}

	/**
	 * Calls a single hook, saves static data, and returns the hook's result. For states that n8n reaches
	 * only by crashing.
	 */
	async hook(name: HookName): Promise<boolean> {
		const turn = this.turn('activate', 'production');
		const answer = await this.call(name, this.describe('default'), turn);
		this.save(turn);
		return answer;
	}
}
