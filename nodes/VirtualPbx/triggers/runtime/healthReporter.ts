import type { ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { blankSecrets } from '../../pbx/redact';
import { sentence } from './managed';

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

/** Reports the findings of one active trigger's checks: each problem once, and its end once. */
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
