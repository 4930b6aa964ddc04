import type {
	IDataObject,
	IHookFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { LastReading } from '../../parameters/parameter';
import type { CallEvent } from '../../pbx/events/parse';
import { LruMap } from '../../util/lruMap';
import { KnownSecrets } from './knownSecrets';
import type { Settings } from './settings';

/** Each takes some kB. */
const MAX_OPEN_LEGS = 50;

/** What this process knows of one event trigger; all of it can be lost. */
export class EventTriggerState {
	readonly secrets = new KnownSecrets();
	/** The options as they stand, and the settings of a country, for deliveries. */
	readonly options = new LastReading<IDataObject>();
	readonly settings = new LastReading<Settings>();
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

const MAX_TRIGGERS = 1000;

/** By workflow and node; tests clear it, as the end of the process does. */
export const triggerStates = new LruMap<string, EventTriggerState>(MAX_TRIGGERS);

type Context = IHookFunctions | ITriggerFunctions | IWebhookFunctions;

/** Names a node in its workflow. */
export function identityOf(context: Context): string {
	return JSON.stringify([context.getWorkflow().id ?? '', context.getNode().id]);
}

/** Returns what this process knows of a trigger. */
export function stateOf(context: Context): EventTriggerState {
	const key = identityOf(context);
	return triggerStates.set(key, triggerStates.get(key) ?? new EventTriggerState());
}
