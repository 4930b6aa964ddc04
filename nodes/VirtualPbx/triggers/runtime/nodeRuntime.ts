import type { ITriggerFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError, sleep } from 'n8n-workflow';

import { sentence, toNodeError } from '../../parameters/nodeError';
import type { CheckSettings } from '../../parameters/options';
import { isTransient } from '../../pbx/errors/pbxError';
import { blankSecrets } from '../../pbx/redact';
import { BoundedMap } from '../../util/limits';

/** A published trigger's needs at the PBX, as its parameters say. */
export interface Setup extends CheckSettings {
	accountId: string | undefined;
}

/** One of a node's two addresses. */
export type Side = 'production' | 'test';

/** A node that is published at one of its addresses. */
export interface Activation<S extends Setup = Setup> {
	/** Undefined if it needs nothing at the PBX. */
	setup?: S | undefined;
	/** Why the parameters can't be read, if n8n's start couldn't report it. */
	error?: unknown;
	/** Whether n8n's start left the first check to the next tick. */
	isPending: boolean;
}

/** A node at one of its addresses: what is published there, and the lock and abort signal of all requests to the PBX. */
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

	/** Aborts what is going on once the PBX has responded to what was sent, and ends the activation. */
	abort(): void {
		this.abortController.abort(new Error('The workflow was unpublished meanwhile'));
		this.abortController = new AbortController();
		this.activation = undefined;
	}

	/** Runs something after everything earlier has ended or its time is up. */
	async runExclusive<T>(run: () => Promise<T>, patienceMs?: number): Promise<T> {
		const { last } = this;
		const turn = (patienceMs === undefined ? last : Promise.race([last, sleep(patienceMs)])).then(
			run,
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
		const known = this.existing(Memory);
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

/** A condition of an active trigger that a user should know about. */
export interface Problem {
	/** The subject that the problem is reported and resolved under. */
	subject: string;
	/** Identifies the problem without the PBX's own words, which can differ each time. */
	key: string;
	/** When it happened, in Unix milliseconds. Defaults to now. */
	at?: number | undefined;
	message: string;
	/** How to fix it. */
	remedy?: string | undefined;
}

/** Reports what one active trigger's checks find: each problem once, and its end once. */
export class HealthReporter {
	/** By subject: reported problems, and when the latest of them happened. */
	private readonly open = new Map<string, { keys: Set<string>; latestAt: number }>();

	/** Optionally saves each problem as a failed execution, which starts the error workflow. */
	constructor(
		private readonly context: ITriggerFunctions,
		private readonly nodeTitle: string,
		private readonly startsErrorWorkflow: () => boolean,
	) {}

	/** Reports a problem, unless it was already reported and hasn't ended since. */
	report({ subject, key, at = Date.now(), message, remedy = '' }: Problem): void {
		const { keys, latestAt } = this.open.get(subject) ?? { keys: new Set(), latestAt: at };
		const isKnown = keys.has(key);
		this.open.set(subject, { keys: keys.add(key), latestAt: Math.max(at, latestAt) });
		if (isKnown) return;
		const text = blankSecrets(message, []);
		const description = blankSecrets(remedy, []);
		const line = description === '' ? text : `${sentence(text)} ${description}`;
		this.context.logger.warn(`${this.prefix}: ${line}`);
		if (!this.startsErrorWorkflow()) return;
		const error = new NodeOperationError(this.context.getNode(), text, { description });
		this.context.saveFailedExecution(error);
	}

	/** Reports why a check failed. Anything that can go away by itself is one problem. */
	reportFailure(error: unknown, before = ''): void {
		const shown = toNodeError(this.context, error);
		const { message, description } = shown;
		const status = shown instanceof NodeApiError ? shown.httpCode : undefined;
		const key = isTransient(error) ? 'transient' : (status ?? message);
		const remedy = description ?? undefined;
		this.report({ subject: 'check', key, message: before + message, remedy });
	}

	/** Reports that a subject's problems have ended, if there were any and the latest is old enough. */
	resolveAged(subject: string, ageMs: number, message: string): void {
		const { latestAt = Infinity } = this.open.get(subject) ?? {};
		if (Date.now() - latestAt >= ageMs) this.resolve(subject, message);
	}

	/** Reports that a subject's problems have ended, if there were any. */
	resolve(subject: string, message: string): void {
		if (this.open.delete(subject)) this.context.logger.info(`${this.prefix}: ${message}`);
	}

	private get prefix(): string {
		return logPrefix(this.context, this.nodeTitle);
	}
}

/** Returns the prefix of a line in n8n's log: node type, node, and workflow. */
export function logPrefix(
	context: Pick<ITriggerFunctions, 'getNode' | 'getWorkflow'>,
	nodeTitle: string,
): string {
	return `${nodeTitle} "${context.getNode().name}" in "${context.getWorkflow().name ?? ''}"`;
}
