import type { ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** A state of a trigger that people should hear of. */
export interface News {
	/** What it is about; of each subject only a change is told. */
	subject: string;
	/** Undefined where all is well again. */
	words: string | undefined;
	description?: string | undefined;
	/** Whether it is only noted: nobody needs to do anything. */
	isMinor?: boolean;
}

/** Tells people what the checks of one active trigger find, each state once. */
export class Teller {
	private readonly told = new Map<string, string>();

	/**
	 * @param prefix begins each line of n8n's log
	 * @param startsErrorWorkflow whether n8n is also given a failed execution, which starts the error workflow
	 */
	constructor(
		private readonly context: ITriggerFunctions,
		private readonly prefix: string,
		private readonly startsErrorWorkflow: boolean,
	) {}

	/** Tells a state, unless it was told already; `relief` is told when it has ended. */
	tell({ subject, words, description, isMinor = false }: News, relief?: string): void {
		const before = this.told.get(subject);
		if (words === before) return;
		if (words === undefined) {
			this.told.delete(subject);
			if (relief !== undefined) this.context.logger.info(`${this.prefix}: ${relief}`);
			return;
		}
		this.told.set(subject, words);
		this.say(words, { description, isMinor });
	}

	/** Tells something that has happened, and is over. */
	say(words: string, { description, isMinor }: Pick<News, 'description' | 'isMinor'> = {}): void {
		const line = `${this.prefix}: ${words}${description === undefined ? '' : ` ${description}`}`;
		if (isMinor) {
			this.context.logger.info(line);
			return;
		}
		this.context.logger.warn(line);
		if (!this.startsErrorWorkflow) return;
		const options = description === undefined ? {} : { description };
		this.context.saveFailedExecution(
			new NodeOperationError(this.context.getNode(), words, options),
		);
	}
}

/** A sentence with a full stop, unless it is empty. */
export function withEnd(sentence = ''): string {
	return sentence === '' || /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
