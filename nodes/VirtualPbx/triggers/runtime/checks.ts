import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { checkMinutes } from '../../parameters/options';
import { isTransient } from '../../pbx/errors/pbxError';
import type { ManagedResource } from './managed';
import { openNode, tickTime } from './managed';
import type { Activation, Endpoint, Problem, Setup } from './nodeRuntime';
import { HealthReporter, runtimeOf } from './nodeRuntime';
import { isListenedTo } from './requests';

/** How often to check a trigger whose parameters can't be read. */
const USUAL_CHECK_MINUTES = checkMinutes.property.default as number;

const CHECK_MS = 60_000;

/**
 * Implements n8n's `trigger()` of a webhook trigger: a tick every minute looks up what this process's hooks recorded,
 * and checks if due. Reads no parameters, so it can't make an activation fail.
 */
export function scheduleChecks<S extends Setup>(
	context: ITriggerFunctions,
	resource: ManagedResource<S>,
): ITriggerResponse {
	if (context.getMode() === 'manual') return {};
	const checks = new Checks(context, resource);
	context.helpers.registerCron({ expression: tickTime() }, async () => await checks.tick());
	return {};
}

/** Minutes without a call from n8n's hooks, after which a publication must have ended or failed. */
const SILENT_MINUTES = 3;

class Checks<S extends Setup> {
	private minutes = 0;
	/** Minutes since this process's hooks last recorded anything. */
	private silentMinutes = 0;
	/** How many times in a row the node's own address wasn't served. */
	private unserved = 0;
	/** Whether the PBX permanently refused the last check. Retrying every minute would only lock the user out. */
	private isRejected = false;
	private readonly reporter: HealthReporter;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly resource: ManagedResource<S>,
	) {
		const startsErrorWorkflow = () => this.endpoint?.activation?.setup?.startsErrorWorkflow ?? true;
		this.reporter = new HealthReporter(context, resource.title, startsErrorWorkflow);
	}

	private get endpoint(): Endpoint | undefined {
		return runtimeOf(this.context).endpoints.production;
	}

	async tick(): Promise<void> {
		const { endpoint } = this;
		const activation = endpoint?.activation as Activation<S> | undefined;
		this.reportSilence(activation !== undefined);
		if (!endpoint || !activation) return;
		this.minutes++;
		this.reportWorkflow(endpoint.workflowProblem ?? this.resource.workflowProblem?.(this.context));
		const isChecked = await this.checkIfDue(endpoint, activation);
		if (isChecked || this.unserved > 0) await this.checkAddress(endpoint, activation);
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

	private reportWorkflow(problem: Problem | undefined): void {
		if (problem) this.reporter.report(problem);
		else this.reporter.resolve('workflow', 'the workflow around the node is in order again.');
	}

	/** Checks if due, and returns whether it did. */
	private async checkIfDue(endpoint: Endpoint, activation: Activation<S>): Promise<boolean> {
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
				this.isRejected = !isTransient(error);
				if (!signal.aborted)
					this.reporter.reportFailure(error, "the trigger couldn't be checked. ");
			}
			return true;
		});
	}

	private async isDue({ setup, isPending }: Activation<S>): Promise<boolean> {
		if (isPending && !this.isRejected) return true;
		const minutes = setup?.checkMinutes ?? USUAL_CHECK_MINUTES;
		const isTime = (minutes > 0 || isPending) && this.minutes >= (minutes || USUAL_CHECK_MINUTES);
		return isTime || (await this.isOutdated(setup));
	}

	private async isOutdated(setup: S | undefined): Promise<boolean> {
		const isTooEarly = this.isRejected && this.minutes < USUAL_CHECK_MINUTES;
		if (!setup || isTooEarly) return false;
		try {
			return (await this.resource.isOutdated?.(this.context, setup)) ?? false;
		} catch {
			// The credential can't be read. The next check reports it.
			return false;
		}
	}

	private async check(
		{ setup, error, isPending: isFirst }: Activation<S>,
		signal: AbortSignal,
	): Promise<void> {
		if (error !== undefined) throw error;
		if (!setup) return;
		const limits = { deadline: AbortSignal.timeout(CHECK_MS), signal };
		const node = await openNode(this.context, setup, limits, { isFirst });
		await this.resource.check(node, this.reporter);
	}

	/**
	 * Reports an address of this node that n8n doesn't serve: the PBX then gets 404, though the workflow is published.
	 * Tries again after a minute, since a publication briefly removes the address.
	 */
	private async checkAddress(endpoint: Endpoint, activation: Activation<S>): Promise<void> {
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
}
