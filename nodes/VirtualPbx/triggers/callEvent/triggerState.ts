import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { CallEvent } from '../../pbx/events/callEvent';
import { BoundedMap } from '../../util/boundedMap';
import { runtimeOf } from '../runtime/nodeRuntime';
import type { KnownParameters } from './currentSettings';
import { EventGroups } from './eventGroup';
import { KnownSecrets } from './knownSecrets';

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
