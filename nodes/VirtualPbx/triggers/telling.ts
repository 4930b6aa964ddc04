import type { ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { mayPass } from '../transport/failure';
import type { Attempt } from '../transport/pbx';
import { blankWebhookSecrets } from '../values/secrets';

/** A state of a trigger that people should hear of. */
export interface News {
	/** What it is about. */
	subject: string;
	/** Names the state. Nothing of what the PBX says is in it, since that may differ each time: times, request IDs, statuses. */
	key: string;
	words: string;
	description?: string | undefined;
	/** Whether it is only noted: nobody needs to do anything. */
	isMinor?: boolean;
}

/** Tells people what the checks of one active trigger find, each state once until all is well again. */
export class Teller {
	/** By subject: the states that were told, and whether they were only noted. */
	private readonly told = new Map<string, Map<string, boolean>>();

	/**
	 * @param prefix begins each line of n8n's log
	 * @param startsErrorWorkflow whether n8n is also given a failed execution, which starts the error workflow
	 * @param secrets of webhooks, which a PBX may repeat in its words
	 */
	constructor(
		private readonly context: ITriggerFunctions,
		private readonly prefix: string,
		private readonly startsErrorWorkflow: boolean,
		private readonly secrets: () => Array<string | undefined> = () => [],
	) {}

	/** Tells a state, unless it was told already; one that was only noted is told again when it has become serious. */
	tell({ subject, key, words, description, isMinor = false }: News): void {
		const states = this.told.get(subject) ?? new Map<string, boolean>();
		const wasMinor = states.get(key);
		if (wasMinor === false || wasMinor === isMinor) return;
		this.told.set(subject, states.set(key, isMinor));
		this.say(words, { description, isMinor });
	}

	/** Notes that all is well again with a subject, where it was not. */
	relieve(subject: string, words: string): void {
		if (this.told.delete(subject)) this.context.logger.info(`${this.prefix}: ${words}`);
	}

	/** Tells something that has happened, and is over. */
	say(said: string, news: Pick<News, 'description' | 'isMinor'> = {}): void {
		const words = this.clean(said);
		const description = news.description === undefined ? undefined : this.clean(news.description);
		const line = `${this.prefix}: ${words}${description === undefined ? '' : ` ${description}`}`;
		if (news.isMinor) {
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

	private clean(words: string): string {
		return blankWebhookSecrets(
			words,
			this.secrets().filter((secret) => secret !== undefined),
		);
	}
}

/**
 * What is to be told where a check could not even begin: mostly the credential is gone, or cannot be read.
 *
 * @param what could not be done, as a sentence without its end
 */
export function newsOfError(what: string, error: unknown): Omit<News, 'subject'> {
	const message = error instanceof Error ? error.message : String(error);
	return {
		// The words are n8n's or ours: another cause has other words.
		key: `error: ${message.replace(/\d+/g, '')}`,
		words: `${what}. ${withEnd(message)}`,
		description:
			'Check the credential of this node. If you choose another one, publish the workflow again.',
	};
}

/** An outage of the PBX that lasts over so many checks is no blip. */
const MANY = 3;

/** Counts the checks in a row that the PBX did not let happen: a refusal is serious at once, an outage when it lasts. */
export class Unchecked {
	private count = 0;

	/**
	 * Counts one more.
	 *
	 * @returns what is to be told of it; `times`: how often in a row, where that is often
	 */
	add({ failure, error }: Extract<Attempt, { ok: false }>) {
		this.count++;
		const isOutage = mayPass(failure);
		const isLong = isOutage && this.count >= MANY;
		return {
			times: isLong ? ` ${MANY} times in a row` : '',
			key: isOutage ? 'outage' : 'refusal',
			description: withEnd(error.description ?? ''),
			isMinor: isOutage && !isLong,
			isOutage,
		};
	}

	/** A check was possible again. */
	end(): void {
		this.count = 0;
	}
}

/** A sentence with a full stop, unless it is empty. */
export function withEnd(sentence = ''): string {
	return sentence === '' || /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
