import type { ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { blankWebhookSecrets } from '../values/secrets';

/** Something about an active trigger that a person should know. */
export interface Problem {
	/** What it is about; its end is told by subject. */
	subject: string;
	/** Names the problem without the PBX's own words, which may differ each time. */
	key: string;
	message: string;
	/** What to do. */
	remedy?: string | undefined;
}

/** Tells what the checks of one active trigger find: each problem once, and its end once. */
export class HealthReporter {
	private readonly open = new Map<string, Set<string>>();

	/** Each problem is also saved as a failed execution, which starts the error workflow, where that is wanted. */
	constructor(
		private readonly context: ITriggerFunctions,
		private readonly nodeTitle: string,
		private readonly startsErrorWorkflow: () => boolean,
	) {}

	/** Tells a problem, unless it was told before and has not ended since. */
	report({ subject, key, message, remedy = '' }: Problem): void {
		const keys = this.open.get(subject) ?? new Set();
		if (keys.has(key)) return;
		this.open.set(subject, keys.add(key));
		const text = blankWebhookSecrets(message, []);
		const description = blankWebhookSecrets(remedy, []);
		this.context.logger.warn(`${this.prefix}: ${`${text} ${description}`.trim()}`);
		if (!this.startsErrorWorkflow()) return;
		const error = new NodeOperationError(this.context.getNode(), text, { description });
		this.context.saveFailedExecution(error);
	}

	/** Tells that all problems of a subject have ended, where there were any. */
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
