import type { ITriggerFunctions, ITriggerResponse, NodeApiError } from 'n8n-workflow';

import { openPbx } from '../transport/pbx';
import type { Activation } from './activeNodes';
import { knownNode } from './activeNodes';
import { HealthReporter } from './healthReporter';
import type { Problem } from './healthReporter';
import type { Desired, Setup } from './lifecycle';
import { isTransientError, isUnattended } from './publication';
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
	const second = isUnattended(context, undefined)
		? secondSoon()
		: Math.floor(Math.random() * SECONDS);
	context.helpers.registerCron(
		{ expression: `${second} * * * * *` },
		async () => await checks.tick(),
	);
	return {};
}

const SECONDS = 60;
const SOONEST_SECONDS = 5;
const SPREAD_SECONDS = 15;

/** A second of the minute that comes soon, and not for all nodes at once: n8n's start has still much to do. */
function secondSoon(): number {
	const after = SOONEST_SECONDS + Math.floor(SPREAD_SECONDS * Math.random());
	return (new Date().getSeconds() + after) % SECONDS;
}

class Checks<D extends Desired> {
	private minutes = 0;
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

	async tick(): Promise<void> {
		const node = knownNode(this.context, 'production');
		const activation = node?.activation as Activation<D> | undefined;
		if (!node || !activation) return;
		node.tick = async () => await this.tick();
		this.activation = activation;
		this.minutes++;
		this.reportWorkflow(node.workflowProblem ?? this.setup.workflowProblem?.(this.context));
		await node.runExclusive(async () => {
			const { signal } = node;
			if (node.activation !== activation || !(await this.isDue(activation))) return;
			this.minutes = 0;
			try {
				await this.check(activation, signal);
				this.isRefused = false;
				activation.isPending = false;
				if (!signal.aborted) this.reporter.resolve('check', 'the check works again.');
			} catch (error) {
				if (!signal.aborted) this.fail(error);
			}
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
		const { message, description, httpCode } = error as NodeApiError;
		this.reporter.report({
			subject: 'check',
			key: isTransient ? 'transient' : (httpCode ?? message),
			message: `the trigger could not be checked. ${message}`,
			remedy: description ?? undefined,
		});
	}
}
