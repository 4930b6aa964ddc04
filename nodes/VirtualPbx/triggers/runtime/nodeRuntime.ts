import type { ITriggerFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { BoundedMap } from '../../util/limits';
import type { Problem } from './healthReporter';

/** One of a node's two addresses. */
export type Side = 'production' | 'test';

/** The state that the checks of a published node use. */
export interface Activation<D = unknown> {
	desired?: D | undefined;
	/** Why the parameters can't be read, if n8n's start couldn't report it. */
	error?: unknown;
	/** Whether n8n's start left the first check to the next tick. */
	isPending: boolean;
}

/** A node at one of its addresses: what is published there, and the lock and abort signal of all work at the PBX. */
export class Endpoint {
	/** Undefined while unpublished. */
	activation: Activation | undefined;
	/**
	 * The problem in the surrounding workflow that kept a delivery from working. A check might see only an older version
	 * of the workflow.
	 */
	workflowProblem: Problem | undefined;
	/** Whether the last try of a publication failed. */
	hasFailed = false;
	/** Whether a failed try or removal might have left something at the PBX. */
	mayHaveLeft = false;
	private abortController = new AbortController();
	private last: Promise<unknown> = Promise.resolve();

	constructor(readonly url: string) {}

	get signal(): AbortSignal {
		return this.abortController.signal;
	}

	/** Aborts work in progress once the PBX has responded to what was sent, and ends the activation. */
	abort(): void {
		this.abortController.abort(new Error('The workflow was unpublished meanwhile'));
		this.abortController = new AbortController();
		this.activation = undefined;
	}

	/** Runs work after all earlier work has ended or its time is up. */
	async runExclusive<T>(work: () => Promise<T>, patienceMs?: number): Promise<T> {
		const { last } = this;
		const turn = (patienceMs === undefined ? last : Promise.race([last, sleep(patienceMs)])).then(
			work,
		);
		this.last = Promise.allSettled([last, turn]);
		return await turn;
	}
}

/** The limits shared by all of n8n's tries of one publication. */
export interface Publication {
	deadline?: AbortSignal;
	/** The deadline of undoing failed tries. */
	undone?: AbortSignal;
	/** The error that another try can't fix. */
	permanentError?: Error;
}

/** Returns a node's key in this process and in n8n's static data, which copies of the workflow or node inherit. */
export function nodeKey(workflowId: string, nodeId: string): string {
	return `${workflowId}/${nodeId}`;
}

/** One trigger node in this process: its identity, what is published, and what is remembered. Safe to lose. */
export class NodeRuntime {
	readonly endpoints: Partial<Record<Side, Endpoint>> = {};
	/** By the workflow's static data, which n8n recreates for each publication. */
	readonly publications = new WeakMap<object, Publication>();
	private readonly memories = new Map<new () => unknown, unknown>();

	constructor(
		readonly workflowId: string,
		readonly nodeId: string,
	) {}

	get key(): string {
		return nodeKey(this.workflowId, this.nodeId);
	}

	/** Returns a trigger part's memory of this node, an instance of that part's class. Creates it on first use. */
	memory<T>(Memory: new () => T): T {
		const known = this.memories.get(Memory) as T | undefined;
		if (known !== undefined) return known;
		const made = new Memory();
		this.memories.set(Memory, made);
		return made;
	}

	/** Returns such a memory if it exists. */
	existing<T>(Memory: new () => T): T | undefined {
		return this.memories.get(Memory) as T | undefined;
	}
}

const MAX_NODES = 10_000;

/** Everything that this process knows of trigger nodes. Tests clear it to simulate a restart. */
export const nodeRuntimes = new BoundedMap<string, NodeRuntime>(MAX_NODES);

/** Returns what this process knows of a node, in a new record if it is the first time. */
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

/**
 * Returns whether another node is published at the address: two workflows can share a path, of which n8n serves the
 * first.
 */
export function isServedByAnother(own: Endpoint): boolean {
	return nodeRuntimes
		.values()
		.flatMap(({ endpoints }) => Object.values(endpoints))
		.some((other) => other !== own && other.url === own.url && other.activation);
}
