import { Log } from './logs';
import type { Settings } from './settings';
import { ALL_HOOKS, type HookName, type Webhook } from './types';

const ATTEMPTS_PER_WEBHOOK = 50;
const ATTEMPTS_PER_ACCOUNT = 500;
/** Within which a webhook's failures disable it, whatever succeeds in between; on the profile `contract`, in a row. */
const WINDOW_MS = 60_000;

/** One delivery attempt. The contract doesn't list its fields (§2.5): these are a guess. */
export interface Attempt {
	hook_id: string;
	hook_event: string;
	event_id: string;
	uri: string;
	method: string;
	req_body: string;
	req_headers: Record<string, string>;
	resp_headers: Record<string, string>;
	resp_status_code: string;
	resp_body: string;
	result: 'success' | 'failure';
	reason: string;
	client_error?: string;
	try: number;
	retries: number;
	retries_left: number | 'retries exceeded';
	timestamp: number;
}

/** The settings for which attempts to log, and when to disable a failing webhook. */
type LogRule = Pick<Settings, 'profile' | 'disable_after_failures'>;

/** The webhooks of one account with their latest delivery attempts. */
export class Webhooks {
	private readonly byId = new Map<string, Webhook>();
	private readonly attemptsOf = new Map<string, Log<Attempt>>();
	private readonly allAttempts = new Log<Attempt>(ATTEMPTS_PER_ACCOUNT);
	/** Times of the latest failures, in milliseconds, by webhook. */
	private readonly failures = new Map<string, number[]>();
	/** Result of each webhook's latest attempt, logged or not. */
	private readonly latest = new Map<string, Attempt['result']>();
	/** Counts changes. */
	revision = 0;

	/** Returns every webhook, in the order of creation. */
	all(): Webhook[] {
		return [...this.byId.values()];
	}

	get(id: string): Webhook | undefined {
		return this.byId.get(id);
	}

	/** Returns the enabled webhooks of a hook. */
	listening(hook: HookName): Webhook[] {
		return this.all().filter(
			({ enabled, hook: own }) => enabled && (own === hook || own === ALL_HOOKS),
		);
	}

	/** Stores a webhook, replacing the one with the same ID. */
	put(webhook: Webhook): void {
		this.byId.set(webhook.id, webhook);
		this.failures.delete(webhook.id);
		this.revision++;
	}

	/** Removes a webhook. Its attempts stay in the account's log. */
	remove(id: string): void {
		this.byId.delete(id);
		this.attemptsOf.delete(id);
		this.failures.delete(id);
		this.latest.delete(id);
		this.revision++;
	}

	/** Logs an attempt, and disables the webhook after too many failures. */
	log(attempt: Attempt, rule: LogRule): void {
		if (rule.profile !== 'kazoo' || attempt.result === 'failure') this.keep(attempt);
		const webhook = this.byId.get(attempt.hook_id);
		if (!webhook) return;
		this.latest.set(webhook.id, attempt.result);
		if (!this.isTooMuch(attempt, rule)) return;
		webhook.enabled = false;
		webhook.disable_reason = 'too many failed attempts';
	}

	private keep(attempt: Attempt): void {
		this.allAttempts.push(attempt);
		const webhook = this.byId.get(attempt.hook_id);
		if (!webhook) return;
		const own = this.attemptsOf.get(webhook.id) ?? new Log<Attempt>(ATTEMPTS_PER_WEBHOOK);
		this.attemptsOf.set(webhook.id, own);
		own.push(attempt);
	}

	/** Counts an attempt. Returns whether its webhook has failed too often. */
	private isTooMuch({ hook_id: id, result }: Attempt, rule: LogRule): boolean {
		const { profile, disable_after_failures: limit } = rule;
		const hasWindow = profile !== 'contract';
		if (limit === 0) return false;
		if (result === 'success') {
			if (!hasWindow) this.failures.delete(id);
			return false;
		}
		const now = Date.now();
		const since = hasWindow ? now - WINDOW_MS : 0;
		const failures = (this.failures.get(id) ?? []).filter((at) => at > since);
		this.failures.set(id, [...failures, now].slice(-limit));
		return failures.length + 1 >= limit;
	}

	/** Whether a webhook's latest attempt failed. */
	isFailing(id: string): boolean {
		return this.latest.get(id) === 'failure';
	}

	/** Returns the latest attempts, newest first, of one webhook or of all (§4.4). */
	attempts(id?: string): Attempt[] {
		const log = id === undefined ? this.allAttempts : this.attemptsOf.get(id);
		return log ? log.list().reverse() : [];
	}
}
