import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { CallEvent } from '../../pbx/events/callEvent';
import { LruMap } from '../../util/lruMap';
import { runtimeOf } from '../runtime/nodeRuntime';
import type { KnownParameters } from './currentSettings';
import { KnownSecrets } from './knownSecrets';

/** Each takes some kB. */
const MAX_OPEN_LEGS = 50;

/** What this process knows of one event trigger; all of it can be lost. */
export class EventTriggerState {
	readonly secrets = new KnownSecrets();
	parameters?: KnownParameters;
	/** Whose calls the rest is about. */
	private loginId?: string;
	/** By address, event, and leg: legs of which only the other one can tell whether they are a call without a first leg. */
	readonly openLegs = new LruMap<string, CallEvent>(MAX_OPEN_LEGS);
	hasFirstLegs?: boolean | undefined;
	/** Until when that holds without being asked for again. */
	until = 0;
	askedAt = -Infinity;

	/** Forgets what the calls of another account have shown. */
	enterAccount(loginId: string): void {
		if (this.loginId !== undefined && this.loginId !== loginId)
			Object.assign(this, { hasFirstLegs: undefined, until: 0, askedAt: -Infinity });
		this.loginId = loginId;
	}
}

/** Returns what this process knows of a trigger. */
export function stateOf(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
): EventTriggerState {
	return runtimeOf(context).memory(EventTriggerState);
}
