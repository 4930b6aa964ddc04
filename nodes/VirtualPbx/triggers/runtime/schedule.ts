import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { toNodeError } from '../../parameters/nodeError';
import { openPbx } from '../../pbx/client';
import { isListenedTo } from '../../pbx/http/ownAddress';
import type { Activation, ActiveNode } from './activeNodes';
import { knownNode } from './activeNodes';
import { HealthReporter } from './healthReporter';
import type { Problem } from './healthReporter';
import type { Desired, Setup } from './lifecycle';
import { isStart, isTransientError, isUnattended } from './publication';
import { USUAL_CHECK_MINUTES } from './settings';

/** How long one check may take. */
const CHECK_MS = 60_000;

/**
 * n8n's `trigger()` of a webhook trigger: a tick each minute, which looks up what the hooks of this process have noted,
 * and checks when it is time. It reads no parameters, so it never makes an activation fail.
 */
export function scheduleChecks<D extends Desired>(
	context: ITriggerFunctions,
	setup: Setup<D>,
): ITriggerResponse {
	if (context.getMode() === 'manual') return {};
	const checks = new Checks(context, setup);
	const { registerCron } = context.helpers;
	const second = isStart(context) ? secondSoon() : Math.floor(Math.random() * SECONDS);
	registerCron({ expression: `${second} * * * * *` }, async () => await checks.tick());
	if (isUnattended(context, undefined) && !isStart(context)) {
		registerCron(
			{ expression: `*/${RESUME_SECONDS} * * * * *` },
			async () => await checks.resume(),
		);
	}
	return {};
}

const SECONDS = 60;
const SOONEST_SECONDS = 5;
const SPREAD_SECONDS = 15;

/** n8n calls a publication that it resumes after a kill "published" at once, so its first check can't wait for the minute. */
const RESUME_SECONDS = 4;

/** A second of the minute that comes soon, and not for all nodes at once: n8n's start has still much to do. */
function secondSoon(): number {
	const after = SOONEST_SECONDS + Math.floor(SPREAD_SECONDS * Math.random());
	return (new Date().getSeconds() + after) % SECONDS;
}

/** Minutes without a word from n8n's hooks, after which a publication must have ended or failed. */
const SILENT_MINUTES = 3;

class Checks<D extends Desired> {
	private minutes = 0;
	/** Minutes in which the hooks of this process have noted nothing. */
	private silentMinutes = 0;
	/** How many times in a row nobody answered at the node's own address. */
	private unserved = 0;
	/** The PBX has refused the last check for good, so that trying each minute would only lock the user out. */
	private isRefused = false;
	private activation: Activation<D> | undefined;
	private readonly reporter: HealthReporter;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly setup: Setup<D>,
	) {
		const startsErrorWorkflow = () => this.activation?.desired?.startsErrorWorkflow ?? true;
		this.reporter = new HealthReporter(context, setup.title, startsErrorWorkflow);
	}

	/** The check of the minute. */
	async tick(): Promise<void> {
		const active = this.lookUp();
		this.reportSilence(active !== undefined);
		if (!active) return;
		const { node, activation } = active;
		this.minutes++;
		this.reportWorkflow(node.workflowProblem ?? this.setup.workflowProblem?.(this.context));
		const isChecked = await this.checkIfDue(node, activation);
		if (isChecked || this.unserved > 0) await this.checkAddress(node, activation);
	}

	/** The first check of a publication that n8n has resumed after a kill. */
	async resume(): Promise<void> {
		const active = this.lookUp();
		if (active?.activation.isPending && !this.isRefused)
			await this.checkIfDue(active.node, active.activation);
	}

	private lookUp(): { node: ActiveNode; activation: Activation<D> } | undefined {
		const node = knownNode(this.context, 'production');
		const activation = node?.activation as Activation<D> | undefined;
		if (!node || !activation) return undefined;
		node.checkIfDue = async () => void (await this.checkIfDue(node, activation));
		this.activation = activation;
		return { node, activation };
	}

	/** Checks when it is time, and returns whether it did. */
	private async checkIfDue(node: ActiveNode, activation: Activation<D>): Promise<boolean> {
		return await node.runExclusive(async () => {
			const { signal } = node;
			if (node.activation !== activation || !(await this.isDue(activation))) return false;
			this.minutes = 0;
			try {
				await this.check(activation, signal);
				this.isRefused = false;
				activation.isPending = false;
				if (!signal.aborted) this.reporter.resolve('check', 'the check works again.');
			} catch (error) {
				if (!signal.aborted) this.fail(error);
			}
			return true;
		});
	}

	/** n8n calls `trigger()` even where the publication of the webhook has failed, and tells nobody afterwards. */
	private reportSilence(hasReported: boolean): void {
		this.silentMinutes = hasReported ? 0 : this.silentMinutes + 1;
		if (hasReported) this.reporter.resolve('publication', 'n8n has registered the webhook.');
		if (this.silentMinutes < SILENT_MINUTES) return;
		this.reporter.report({
			subject: 'publication',
			key: 'silent',
			message: "n8n has not registered this trigger's webhook, so calls do not start the workflow.",
			remedy:
				'Unpublish the workflow and publish it again. If that fails, point at the Publish button: n8n shows why.',
		});
	}

	/**
	 * Reports an address of this node that n8n doesn't serve: the PBX then gets 404, though the workflow is published. Asks
	 * again after a minute, since a publication takes the address away for a moment.
	 */
	private async checkAddress(node: ActiveNode, activation: Activation<D>): Promise<void> {
		const isServed = await isListenedTo(this.context, node.url);
		if (node.activation !== activation) return;
		this.unserved = isServed === false ? this.unserved + 1 : 0;
		if (isServed) this.reporter.resolve('address', "n8n serves this trigger's address again.");
		if (this.unserved < 2) return;
		this.reporter.report({
			subject: 'address',
			key: 'not served',
			message: `the workflow is published, but nothing listens at ${node.url}, so calls do not start it.`,
			remedy:
				'Unpublish the workflow and publish it again. If this returns, restart n8n, and check its webhook URL (N8N_WEBHOOK_URL) and the proxy in front of it.',
		});
	}

	private reportWorkflow(problem: Problem | undefined): void {
		if (problem) this.reporter.report(problem);
		else this.reporter.resolve('workflow', 'the workflow around the node is in order again.');
	}

	private async isDue({ desired, isPending }: Activation<D>): Promise<boolean> {
		if (isPending && !this.isRefused) return true;
		const minutes = desired?.checkMinutes ?? USUAL_CHECK_MINUTES;
		const isTime = (minutes > 0 || isPending) && this.minutes >= (minutes || USUAL_CHECK_MINUTES);
		return isTime || (await this.isOutdated(desired));
	}

	private async isOutdated(desired: D | undefined): Promise<boolean> {
		const isTooEarly = this.isRefused && this.minutes < USUAL_CHECK_MINUTES;
		if (!desired || isTooEarly) return false;
		try {
			return (await this.setup.isOutdated?.(this.context, desired)) ?? false;
		} catch {
			// The credential cannot be read; the next check tells.
			return false;
		}
	}

	private async check(
		{ desired, error, isPending }: Activation<D>,
		signal: AbortSignal,
	): Promise<void> {
		const { context, setup, reporter } = this;
		if (error !== undefined) throw error;
		if (!desired) return;
		const deadline = AbortSignal.timeout(CHECK_MS);
		const pbx = await openPbx(context, { accountId: desired.accountId, deadline, signal });
		await setup.check(pbx, desired, { context, reporter, signal, isFirst: isPending });
	}

	private fail(error: unknown): void {
		const isTransient = isTransientError(error);
		this.isRefused = !isTransient;
		const shown = toNodeError(this.context, error);
		const { message, description } = shown;
		const status = shown instanceof NodeApiError ? shown.httpCode : undefined;
		this.reporter.report({
			subject: 'check',
			key: isTransient ? 'transient' : (status ?? message),
			message: `the trigger could not be checked. ${message}`,
			remedy: description ?? undefined,
		});
	}
}
