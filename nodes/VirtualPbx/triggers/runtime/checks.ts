import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { toNodeError } from '../../parameters/nodeError';
import { checkMinutes } from '../../parameters/options';
import { HealthReporter } from './healthReporter';
import type { Problem } from './healthReporter';
import { isTransientError, openWork, tickTime } from './managed';
import type { Desired, ManagedResource, Outcome, Work } from './managed';
import type { Activation, Endpoint } from './nodeRuntime';
import { runtimeOf } from './nodeRuntime';
import { isListenedTo } from './requests';

/** How often to check a trigger whose parameters can't be read. */
const USUAL_CHECK_MINUTES = checkMinutes.property.default as number;

/** The time limit of one check. */
const CHECK_MS = 60_000;

/**
 * Implements n8n's `trigger()` of a webhook trigger: a tick every minute looks up what this process's hooks recorded,
 * and checks if due. Reads no parameters, so it can't make an activation fail.
 */
export function scheduleChecks<D extends Desired, O, C>(
	context: ITriggerFunctions,
	resource: ManagedResource<D, O, C>,
): ITriggerResponse {
	if (context.getMode() === 'manual') return {};
	const checks = new Checks(context, resource);
	context.helpers.registerCron({ expression: tickTime() }, async () => await checks.tick());
	return {};
}

/** Minutes without a call from n8n's hooks, after which a publication must have ended or failed. */
const SILENT_MINUTES = 3;

class Checks<D extends Desired, O, C> {
	private minutes = 0;
	/** Minutes since this process's hooks last recorded anything. */
	private silentMinutes = 0;
	/** How many times in a row the node's own address wasn't served. */
	private unserved = 0;
	/** Whether the PBX permanently refused the last check. Retrying every minute would only lock the user out. */
	private isRejected = false;
	private activation: Activation<D> | undefined;
	private readonly reporter: HealthReporter;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly resource: ManagedResource<D, O, C>,
	) {
		const startsErrorWorkflow = () => this.activation?.desired?.startsErrorWorkflow ?? true;
		this.reporter = new HealthReporter(context, resource.title, startsErrorWorkflow);
	}

	/** Runs the check of the minute. */
	async tick(): Promise<void> {
		const active = this.lookUp();
		this.reportSilence(active !== undefined);
		if (!active) return;
		const { endpoint, activation } = active;
		this.minutes++;
		this.reportWorkflow(endpoint.workflowProblem ?? this.resource.workflowProblem?.(this.context));
		const isChecked = await this.checkIfDue(endpoint, activation);
		if (isChecked || this.unserved > 0) await this.checkAddress(endpoint, activation);
	}

	private lookUp(): { endpoint: Endpoint; activation: Activation<D> } | undefined {
		const endpoint = runtimeOf(this.context).endpoints.production;
		const activation = endpoint?.activation as Activation<D> | undefined;
		if (!endpoint || !activation) return undefined;
		this.activation = activation;
		return { endpoint, activation };
	}

	/** Checks if due, and returns whether it did. */
	private async checkIfDue(endpoint: Endpoint, activation: Activation<D>): Promise<boolean> {
		return await endpoint.runExclusive(async () => {
			const { signal } = endpoint;
			if (endpoint.activation !== activation || !(await this.isDue(activation))) return false;
			this.minutes = 0;
			try {
				await this.check(activation, signal);
				this.isRejected = false;
				activation.isPending = false;
				if (!signal.aborted) this.reporter.resolve('check', 'the check works again.');
			} catch (error) {
				if (!signal.aborted) this.fail(error);
			}
			return true;
		});
	}

	/** n8n calls `trigger()` even if it couldn't register the webhook, and doesn't report that afterwards. */
	private reportSilence(isRegistered: boolean): void {
		this.silentMinutes = isRegistered ? 0 : this.silentMinutes + 1;
		if (isRegistered) this.reporter.resolve('publication', 'n8n has registered the webhook.');
		if (this.silentMinutes < SILENT_MINUTES) return;
		this.reporter.report({
			subject: 'publication',
			key: 'silent',
			message: "n8n hasn't registered this trigger's webhook, so calls don't start the workflow.",
			remedy:
				'Unpublish the workflow and publish it again. If that fails, point at the Publish button: n8n shows why.',
		});
	}

	/**
	 * Reports an address of this node that n8n doesn't serve: the PBX then gets 404, though the workflow is published.
	 * Tries again after a minute, since a publication briefly removes the address.
	 */
	private async checkAddress(endpoint: Endpoint, activation: Activation<D>): Promise<void> {
		const isServed = await isListenedTo(this.context, endpoint.url);
		if (endpoint.activation !== activation) return;
		this.unserved = isServed === false ? this.unserved + 1 : 0;
		if (isServed) this.reporter.resolve('address', "n8n serves this trigger's address again.");
		if (this.unserved < 2) return;
		this.reporter.report({
			subject: 'address',
			key: 'not served',
			message: `the workflow is published, but nothing listens at ${endpoint.url}, so calls don't start it.`,
			remedy:
				'Unpublish the workflow and publish it again. If this returns, restart n8n, and check its webhook URL (N8N_WEBHOOK_URL) and the proxy in front of it.',
		});
	}

	private reportWorkflow(problem: Problem | undefined): void {
		if (problem) this.reporter.report(problem);
		else this.reporter.resolve('workflow', 'the workflow around the node is in order again.');
	}

	private async isDue({ desired, isPending }: Activation<D>): Promise<boolean> {
		if (isPending && !this.isRejected) return true;
		const minutes = desired?.checkMinutes ?? USUAL_CHECK_MINUTES;
		const isTime = (minutes > 0 || isPending) && this.minutes >= (minutes || USUAL_CHECK_MINUTES);
		return isTime || (await this.isOutdated(desired));
	}

	private async isOutdated(desired: D | undefined): Promise<boolean> {
		const isTooEarly = this.isRejected && this.minutes < USUAL_CHECK_MINUTES;
		if (!desired || isTooEarly) return false;
		try {
			return (await this.resource.isOutdated?.(this.context, desired)) ?? false;
		} catch {
			// The credential can't be read. The next check reports it.
			return false;
		}
	}

	private async check(
		{ desired, error, isPending }: Activation<D>,
		signal: AbortSignal,
	): Promise<void> {
		if (error !== undefined) throw error;
		if (!desired) return;
		const deadline = AbortSignal.timeout(CHECK_MS);
		const given = { desired, purpose: 'check' } as const;
		await this.reconcile(await openWork(this.context, given, { deadline, signal }), isPending);
	}

	/** Compares, repairs what it may, and reports. Throws if the PBX can't be reached. */
	private async reconcile(work: Work<D>, isFirst: boolean): Promise<void> {
		const { resource, reporter } = this;
		const observed = await resource.observe(work);
		await resource.inspect?.(work, observed, reporter);
		const change = resource.diff(work, observed);
		let problem: Problem | undefined;
		let outcome: Outcome | undefined;
		if (change !== undefined) {
			const mayRepair = resource.mayRepair?.(work, observed, isFirst) ?? true;
			outcome = mayRepair ? await this.repair(work, change, isFirst) : 'left';
			if (work.pbx.signal.aborted) return;
			problem = resource.problemOf(work, change, outcome);
		}
		if (outcome === undefined || outcome === 'repaired') resource.settled?.(work, observed);
		if (problem) reporter.report(problem);
		else reporter.resolve(resource.subject, resource.inOrder);
	}

	private async repair(work: Work<D>, change: C, isFirst: boolean): Promise<Outcome> {
		return await this.resource.apply(work, change).then(
			() => 'repaired' as const,
			(failure: unknown) => {
				// After n8n starts, the next tick retries.
				if (isFirst && isTransientError(failure)) throw failure;
				return { failure };
			},
		);
	}

	private fail(error: unknown): void {
		const isTransient = isTransientError(error);
		this.isRejected = !isTransient;
		const shown = toNodeError(this.context, error);
		const { message, description } = shown;
		const status = shown instanceof NodeApiError ? shown.httpCode : undefined;
		this.reporter.report({
			subject: 'check',
			key: isTransient ? 'transient' : (status ?? message),
			message: `the trigger couldn't be checked. ${message}`,
			remedy: description ?? undefined,
		});
	}
}
