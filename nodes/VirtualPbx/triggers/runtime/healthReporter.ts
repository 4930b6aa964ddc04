import type { ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { blankWebhookSecrets } from '../../pbx/redact';

/** Something about an active trigger that a person should know. */
export interface Problem {
	/** What it is about; its end is told by subject. */
	subject: string;
	/** Names the problem without the PBX's own words, which may differ each time. */
	key: string;
	/** When it happened, in Unix milliseconds; now by default. */
	at?: number | undefined;
	message: string;
	/** What to do. */
	remedy?: string | undefined;
}

/** Reports what the checks of one active trigger find: each problem once, and its end once. */
export class HealthReporter {
	/** By subject: the problems that were reported, and when the latest of them happened. */
	private readonly open = new Map<string, { keys: Set<string>; latestAt: number }>();

	/** Each problem is also saved as a failed execution, which starts the error workflow, where that is wanted. */
	constructor(
		private readonly context: ITriggerFunctions,
		private readonly nodeTitle: string,
		private readonly startsErrorWorkflow: () => boolean,
	) {}

	/** Reports a problem, unless it was reported before and has not ended since. */
	report({ subject, key, at = Date.now(), message, remedy = '' }: Problem): void {
		const { keys, latestAt } = this.open.get(subject) ?? { keys: new Set(), latestAt: at };
		const isKnown = keys.has(key);
		this.open.set(subject, { keys: keys.add(key), latestAt: Math.max(at, latestAt) });
		if (isKnown) return;
		const text = blankWebhookSecrets(message, []);
		const description = blankWebhookSecrets(remedy, []);
		this.context.logger.warn(`${this.prefix}: ${`${text} ${description}`.trim()}`);
		if (!this.startsErrorWorkflow()) return;
		const error = new NodeOperationError(this.context.getNode(), text, { description });
		this.context.saveFailedExecution(error);
	}

	/** Reports that all problems of a subject have ended, where there were any and none has happened for so long. */
	resolveAged(subject: string, ageMs: number, message: string): void {
		const { latestAt = Infinity } = this.open.get(subject) ?? {};
		if (Date.now() - latestAt >= ageMs) this.resolve(subject, message);
	}

	/** Reports that all problems of a subject have ended, where there were any. */
	resolve(subject: string, message: string): void {
		if (this.open.delete(subject)) this.context.logger.info(`${this.prefix}: ${message}`);
	}

	private get prefix(): string {
		return logPrefix(this.context, this.nodeTitle);
	}
}

/** The beginning of a line in n8n's log: node type, node and workflow. */
export function logPrefix(
	context: Pick<ITriggerFunctions, 'getNode' | 'getWorkflow'>,
	nodeTitle: string,
): string {
	return `${nodeTitle} "${context.getNode().name}" in "${context.getWorkflow().name ?? ''}"`;
}
