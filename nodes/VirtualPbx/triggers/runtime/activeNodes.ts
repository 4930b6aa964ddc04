import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { LruMap } from '../../util/lruMap';
import type { Problem } from './healthReporter';

/** What the checks of an active node go by. */
export interface Activation<D = unknown> {
	desired?: D | undefined;
	/** Why the parameters cannot be read, where n8n's start could not tell anyone. */
	error?: unknown;
	/** Whether n8n's start has left the first check to the next tick. */
	isPending: boolean;
}

/** One node at one address in this process: a lock for all that changes something at the PBX, and its end. */
export class ActiveNode {
	/** Undefined while the node is not active. */
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

const MAX_NODES = 10_000;

/** What this process knows of nodes that n8n has published or is publishing. */
export const activeNodes = new LruMap<string, ActiveNode>(MAX_NODES);

/** Which of a node's two addresses is meant. */
export type Side = 'production' | 'test';
type Context = IHookFunctions | ITriggerFunctions | IWebhookFunctions;

/** Identifies a node in this process; listening for a test event is apart. */
function keyOf(context: Context, side: Side): string {
	return JSON.stringify([context.getWorkflow().id, context.getNode().id, side]);
}

/** Tells whether this process listens for a test event of the node. */
export function isListening(context: ITriggerFunctions | IHookFunctions): boolean {
	return knownNode(context, 'test')?.activation !== undefined;
}

function urlOf(context: IHookFunctions): string {
	return context.getNodeWebhookUrl('default') ?? '';
}

/** n8n does not say of a `delete` that it ends a test: the address tells. */
export function sideOf(context: IHookFunctions): Side {
	const isTest =
		context.getMode() === 'manual' || knownNode(context, 'test')?.url === urlOf(context);
	return isTest ? 'test' : 'production';
}

/** What this process knows of a node, if it knows it. */
export function knownNode(context: Context, side: Side): ActiveNode | undefined {
	return activeNodes.get(keyOf(context, side));
}

/** Has a node checked at once where a check is due, in the process that checks it; elsewhere, its next tick sees to it. */
export function requestCheck(context: IWebhookFunctions): void {
	// A check reports by itself what goes wrong.
	void knownNode(context, 'production')
		?.checkIfDue?.()
		.catch(() => undefined);
}

/** The node that a hook is called for; at another address it is another one. */
export function enterNode(context: IHookFunctions, side: Side): ActiveNode {
	const url = urlOf(context);
	const key = keyOf(context, side);
	const known = activeNodes.get(key);
	return activeNodes.set(key, known?.url === url ? known : new ActiveNode(url));
}

/** Two workflows may have one path, of which n8n serves the first. */
export function isServedByAnother(own: ActiveNode): boolean {
	return activeNodes
		.values()
		.some((node) => node !== own && node.url === own.url && node.activation);
}
