import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { CallEvent } from '../../events/parse';
import { LruMap } from '../../values/lruMap';

/** Each takes some kB. */
const MAX_OPEN_LEGS = 50;

/** What this process knows of one event trigger; all of it can be lost. */
export class EventTriggerState {
	/** The secret of its webhooks, and a hash of the login data of which it is made. */
	secret?: { source: string; value: Promise<string> };
	/** By address, event, and leg: legs of which only the other one can tell whether they are a call without a first leg. */
	readonly openLegs = new LruMap<string, CallEvent>(MAX_OPEN_LEGS);
	hasFirstLegs?: boolean;
	/** Until when that holds without being asked for again. */
	until = 0;
	askedAt = -Infinity;
}

const MAX_TRIGGERS = 1000;

/** By workflow and node. */
const states = new LruMap<string, EventTriggerState>(MAX_TRIGGERS);

type Context = IHookFunctions | ITriggerFunctions | IWebhookFunctions;

/** Names a node in its workflow. */
export function identityOf(context: Context): string {
	return JSON.stringify([context.getWorkflow().id ?? '', context.getNode().id]);
}

/** What this process knows of a trigger. */
export function stateOf(context: Context): EventTriggerState {
	const key = identityOf(context);
	return states.set(key, states.get(key) ?? new EventTriggerState());
}
