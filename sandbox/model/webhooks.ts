import type { Attempt } from '../delivery/dispatcher';
import { Documents } from './documents';
import { Log } from './logs';
import { ALL_HOOKS, type HookName, type Webhook } from './types';

const ATTEMPTS_KEPT = 500;
/** Within which a webhook's failures disable it, whatever succeeds in between. */
const WINDOW_MS = 60_000;

/** The webhooks of one account with their latest delivery attempts. */
export class Webhooks extends Documents<Webhook> {
	private readonly log = new Log<Attempt>(ATTEMPTS_KEPT);
	/** Times of the latest failures, in milliseconds, by webhook. */
	private readonly failures = new Map<string, number[]>();

	listening(hook: HookName): Webhook[] {
		return this.all().filter(
			({ enabled, hook: own }) => enabled && (own === hook || own === ALL_HOOKS),
		);
	}

	override put(webhook: Webhook): void {
		super.put(webhook);
		this.failures.delete(webhook.id);
	}

	/** Logs an attempt, and disables the webhook after too many failures; with a limit of 0, never. */
	addAttempt(attempt: Attempt, limit: number): void {
		this.log.push(attempt);
		const webhook = this.get(attempt.hook_id);
		if (!webhook || attempt.result === 'success') return;
		const now = Date.now();
		const recent = (this.failures.get(webhook.id) ?? []).filter((at) => at > now - WINDOW_MS);
		const failures = [...recent, now];
		this.failures.set(webhook.id, failures);
		if (limit === 0 || failures.length < limit) return;
		webhook.enabled = false;
		webhook.disable_reason = 'too many failed attempts';
	}

	isFailing(id: string): boolean {
		return this.attempts(id)[0]?.result === 'failure';
	}

	/** Returns the latest attempts, newest first, of one webhook or of all (§4.4). */
	attempts(id?: string): Attempt[] {
		const wanted = ({ hook_id: own }: Attempt) => id === undefined || id === own;
		return this.log.list().filter(wanted).reverse();
	}
}
