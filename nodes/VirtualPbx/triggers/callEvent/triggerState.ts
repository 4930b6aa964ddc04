import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { CallEvent } from '../../pbx/events/callEvent';
import { BoundedMap } from '../../util/boundedMap';
import { runtimeOf } from '../runtime/nodeRuntime';
import { EventGroups } from './eventGroup';
import type { KnownParameters } from './settings';

/**
 * Of all triggers together: more than n8n takes in 10 seconds, and two legs of a call end within less. Each takes a few
 * kB, but up to 1 MiB if deliveries aren't verified and a stranger sends them.
 */
const MAX_OPEN_LEGS = 256;

/** Legs for which only the other one can show whether the call lacks a first leg, each with its trigger. */
export const openLegs = new BoundedMap<CallEvent, { state: EventTriggerState; event: CallEvent }>(
	MAX_OPEN_LEGS,
);

/** This process's memory of one event trigger. Safe to lose. */
export class EventTriggerState {
	readonly secrets = new KnownSecrets();
	readonly groups = new EventGroups();
	parameters?: KnownParameters;
	/** The account whose calls the other fields describe. */
	private loginId?: string;
	hasFirstLegs?: boolean | undefined;
	/** How long `hasFirstLegs` stays valid before it is learned again. */
	until = 0;
	askedAt = -Infinity;

	/** Forgets what another account's calls have shown. */
	enterAccount(loginId: string): void {
		if (this.loginId !== undefined && this.loginId !== loginId)
			Object.assign(this, { hasFirstLegs: undefined, until: 0, askedAt: -Infinity });
		this.loginId = loginId;
	}
}

/** Returns what this process knows of an event trigger. */
export function stateOf(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): EventTriggerState {
	return runtimeOf(context).memory(EventTriggerState);
}

/** A secret and hashes of the login data that it is derived from. */
interface KnownSecret {
	/** Login and realm. If they differ, it is another account, whose deliveries no longer belong to this node. */
	loginId: string;
	/** All login data. */
	source: string;
	value: Promise<string>;
}

/** How long an earlier password's secret stays valid at most, once this process has seen the new one. */
const FORMER_MS = 24 * 3_600_000;
/** How long it stays valid once the new secret is registered, for deliveries in flight and retries. */
const GRACE_MS = 10 * 60_000;
/** Users can mistype a password a few times. */
const MOST_FORMER = 5;

/**
 * The secrets of one node's webhooks, derived by this process from each credential it has seen. After a password
 * change, webhooks carry the old secret until the check registers the new one, so both are valid meanwhile.
 */
class KnownSecrets {
	private latest: KnownSecret | undefined;
	private former: Array<KnownSecret & { until: number }> = [];
	private doubt: 'none' | 'raised' | 'settled' = 'none';

	/** Returns the latest secret if it was derived from this login data. */
	knownFor(source: string): Promise<string> | undefined {
		return this.latest?.source === source ? this.latest.value : undefined;
	}

	/** Returns the secret of the current credential, deriving it if unknown. */
	async take({ loginId, source }: Omit<KnownSecret, 'value'>, derive: () => Promise<string>) {
		const { latest } = this;
		if (latest?.source === source) return await latest.value;
		const known = this.former.find((one) => one.source === source);
		const before = latest ? [...this.former, { ...latest, until: Date.now() + FORMER_MS }] : [];
		this.former = before
			.filter((one) => one.loginId === loginId && one.source !== source)
			.slice(-MOST_FORMER);
		this.latest = { loginId, source, value: known?.value ?? derive() };
		this.doubt = 'none';
		return await this.latest.value;
	}

	/** Returns the secrets of earlier passwords that are still valid. */
	async stillValid(): Promise<string[]> {
		const now = Date.now();
		this.former = this.former.filter(({ until }) => until > now);
		return await Promise.all(this.former.map(async ({ value }) => await value));
	}

	/** Expires earlier secrets soon, since the new one is registered. */
	retireFormer(): void {
		const until = Date.now() + GRACE_MS;
		this.former = this.former.map((one) => ({ ...one, until: Math.min(one.until, until) }));
	}

	/**
	 * Records that a delivery lacked the latest secret, so the webhooks might have an old one. Only the first such
	 * delivery per process and password counts: forged ones must not cause repeated registrations. Returns whether this
	 * one counts.
	 */
	raiseDoubt(): boolean {
		if (this.doubt !== 'none') return false;
		this.doubt = 'raised';
		return true;
	}

	/** Whether to check the webhooks, since a delivery lacked the latest secret. */
	get isDoubted(): boolean {
		return this.doubt === 'raised';
	}

	/** Whether webhooks can be assumed correct if the PBX doesn't show what they carry. */
	get mayBeAssumed(): boolean {
		return !this.isDoubted && this.former.length === 0;
	}

	/** Records that the webhooks now carry the latest secret. */
	settle(): void {
		if (this.isDoubted) this.doubt = 'settled';
		this.retireFormer();
	}
}
