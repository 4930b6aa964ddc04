import type { ITriggerFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { LruMap } from '../../util/lruMap';
import type { Problem } from './healthReporter';

/** Which of a node's two addresses is meant. */
export type Side = 'production' | 'test';

/** What the checks of a published node go by. */
export interface Activation<D = unknown> {
	desired?: D | undefined;
	/** Why the parameters cannot be read, where n8n's start could not tell anyone. */
	error?: unknown;
	/** Whether n8n's start has left the first check to the next tick. */
	isPending: boolean;
}

/** A node at one of its addresses: what is published there, a lock for all that changes something at the PBX, and its end. */
export class Endpoint {
	/** Undefined while nothing is published here. */
	activation: Activation | undefined;
	/** What of the workflow around the node has kept a delivery from working; n8n shows a check an older version of it. */
	workflowProblem: Problem | undefined;
	/** Whether the last attempt of a publication has failed. */
	hasFailed = false;
	/** Whether an attempt or a removal that failed may have left something at the PBX. */
	mayHaveLeft = false;
	/** Checks at once where a check is due; known after the first tick. */
	checkIfDue: (() => Promise<void>) | undefined;
	private abortController = new AbortController();
	private last: Promise<unknown> = Promise.resolve();

	constructor(readonly url: string) {}

	get signal(): AbortSignal {
		return this.abortController.signal;
	}

	/** Ends what is under way as soon as the PBX has answered what was sent, and the activation with it. */
	abort(): void {
		this.abortController.abort(new Error('The workflow was unpublished meanwhile'));
		this.abortController = new AbortController();
		this.activation = undefined;
	}

	/** Runs work when all earlier work has ended, or has had its time. */
	async runExclusive<T>(work: () => Promise<T>, patienceMs?: number): Promise<T> {
		const { last } = this;
		const turn = (patienceMs === undefined ? last : Promise.race([last, sleep(patienceMs)])).then(
			work,
		);
		this.last = Promise.allSettled([last, turn]);
		return await turn;
	}
}

/** What all calls of n8n for one publication, and for the activation that it makes, share. */
export interface Publication {
	/** When its attempts end, when taking them back ends, and what the PBX refuses for good. */
	attempts?: { deadline: AbortSignal; undone: AbortSignal; refusal?: Error };
	/** Whether a poll has worked. */
	hasPolled?: boolean;
	/** When its deactivation ends. */
	teardown?: AbortSignal;
}

/** Returns the name of a node in this process, and in n8n's static data, which copies of the workflow or the node inherit. */
export function nodeKey(workflowId: string, nodeId: string): string {
	return `${workflowId}/${nodeId}`;
}

/** One trigger node in this process: who it is, what is published, and what is remembered of it. All of it can be lost. */
export class NodeRuntime {
	readonly endpoints: Partial<Record<Side, Endpoint>> = {};
	/** By the workflow's static data, which n8n makes anew for each publication. */
	readonly publications = new WeakMap<object, Publication>();
	private readonly memories = new Map<new () => unknown, unknown>();

	constructor(
		readonly workflowId: string,
		readonly nodeId: string,
	) {}

	get key(): string {
		return nodeKey(this.workflowId, this.nodeId);
	}

	/** The text behind the owner and the secret of the node's webhooks, which outlive this process. */
	get identity(): string {
		return JSON.stringify([this.workflowId, this.nodeId]);
	}

	/** Returns what one part of a trigger remembers of this node, as an instance of that part's class. */
	memory<T>(Memory: new () => T): T {
		const known = this.memories.get(Memory) as T | undefined;
		if (known !== undefined) return known;
		const made = new Memory();
		this.memories.set(Memory, made);
		return made;
	}

	/** Returns such a memory only if there is one. */
	existing<T>(Memory: new () => T): T | undefined {
		return this.memories.get(Memory) as T | undefined;
	}
}

const MAX_NODES = 10_000;

/** All that this process knows of trigger nodes. Tests clear it, as the end of the process does. */
export const nodeRuntimes = new LruMap<string, NodeRuntime>(MAX_NODES);

/** Returns what this process knows of a node. */
export function runtimeOf(
	context: Pick<ITriggerFunctions, 'getNode' | 'getWorkflow'>,
): NodeRuntime {
	const workflowId = context.getWorkflow().id ?? '';
	const nodeId = context.getNode().id;
	const key = nodeKey(workflowId, nodeId);
	return nodeRuntimes.set(key, nodeRuntimes.get(key) ?? new NodeRuntime(workflowId, nodeId));
}

/** Returns the memories of one kind, of all nodes that have one. */
export function memoriesOf<T>(Memory: new () => T): T[] {
	return nodeRuntimes.values().flatMap((runtime) => runtime.existing(Memory) ?? []);
}

/** Returns whether another node is published at the address: two workflows may have one path, of which n8n serves the first. */
export function isServedByAnother(own: Endpoint): boolean {
	return nodeRuntimes
		.values()
		.flatMap(({ endpoints }) => Object.values(endpoints))
		.some((other) => other !== own && other.url === own.url && other.activation);
}
