import { Ring } from './ring';
import type { HookName, Webhook } from './types';

const ATTEMPTS_PER_WEBHOOK = 50;
const ATTEMPTS_PER_ACCOUNT = 500;

/** One delivery try. The contract shows no fields for it (§2.5): these are a guess at a useful log. */
export interface Attempt {
	hook_id: string;
	hook_event: HookName;
	event_id: string;
	uri: string;
	method: string;
	req_body: string;
	resp_status_code: string;
	resp_body: string;
	result: 'success' | 'failure';
	reason: string;
	client_error?: string;
	retries: number;
	retries_left: number | 'retries exceeded';
	timestamp: number;
}

/** The webhooks of one account with their latest delivery attempts. */
export class Webhooks {
	private readonly byId = new Map<string, Webhook>();
	private readonly attemptsOf = new Map<string, Ring<Attempt>>();
	private readonly allAttempts = new Ring<Attempt>(ATTEMPTS_PER_ACCOUNT);
	private readonly failuresInRow = new Map<string, number>();
	/** Counts the changes. */
	revision = 0;

	/** Gives every webhook, in the order of creation. */
	all(): Webhook[] {
		return [...this.byId.values()];
	}

	/** Finds a webhook by its id. */
	get(id: string): Webhook | undefined {
		return this.byId.get(id);
	}

	/** Gives the enabled webhooks of one hook. */
	listening(hook: HookName): Webhook[] {
		return this.all().filter((webhook) => webhook.enabled && webhook.hook === hook);
	}

	/** Stores a webhook, in place of the one with the same id. */
	put(webhook: Webhook): void {
		this.byId.set(webhook.id, webhook);
		this.failuresInRow.delete(webhook.id);
		this.revision++;
	}

	/** Removes a webhook; its attempts stay in the account's log. */
	remove(id: string): void {
		this.byId.delete(id);
		this.attemptsOf.delete(id);
		this.failuresInRow.delete(id);
		this.revision++;
	}

	/** Logs a try and disables the webhook after `limit` failures in a row (0: never). */
	log(attempt: Attempt, limit: number): void {
		this.allAttempts.push(attempt);
		const webhook = this.byId.get(attempt.hook_id);
		if (!webhook) return;
		const own = this.attemptsOf.get(webhook.id) ?? new Ring<Attempt>(ATTEMPTS_PER_WEBHOOK);
		this.attemptsOf.set(webhook.id, own);
		own.push(attempt);
		const failures =
			attempt.result === 'success' ? 0 : (this.failuresInRow.get(webhook.id) ?? 0) + 1;
		this.failuresInRow.set(webhook.id, failures);
		if (limit > 0 && failures >= limit) {
			webhook.enabled = false;
			webhook.disable_reason = 'too many failed attempts';
		}
	}

	/** Gives the latest tries, newest first: of one webhook, or of all (§4.4). */
	attempts(id?: string): Attempt[] {
		const log = id === undefined ? this.allAttempts : this.attemptsOf.get(id);
		return log ? log.toArray().reverse() : [];
	}
}
