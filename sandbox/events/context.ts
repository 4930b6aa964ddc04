import type { Call } from '../calls/call';
import { HOOKS, type EventName } from '../model/types';
import type { Leg } from '../calls/leg';
import type { Settings } from '../model/settings';

/** Everything an event is built from. */
export interface EventContext {
	call: Call;
	leg: Leg;
	event: EventName;
	msgId: string;
	settings: Settings;
}

type KindOf<Name> = Name extends `CHANNEL_${infer Kind}` ? Lowercase<Kind> : never;
type Kind = KindOf<EventName>;

/** A kind of event on a kind of leg. */
export type Place = `${Kind}:${Leg['direction']}`;

const KINDS = HOOKS.map((hook) => hook.slice('channel_'.length) as Kind);
const placesOf = (kinds: readonly Kind[], ...legs: Array<Leg['direction']>): Place[] =>
	kinds.flatMap((kind) => legs.map((leg): Place => `${kind}:${leg}`));
const LATER = placesOf(
	KINDS.filter((kind) => kind !== 'create'),
	'inbound',
	'outbound',
);

/** The phrases of §6's column "Present in", and the events they mean. */
export const PRESENCE = {
	all: placesOf(KINDS, 'inbound', 'outbound'),
	'create (inbound leg), answer, destroy': ['create:inbound', ...LATER],
	'create (outbound leg), answer, destroy': ['create:outbound', ...LATER],
	'answer, destroy': LATER,
	'all except outbound create': ['create:inbound', ...LATER],
	'outbound leg events; destroy of inbound leg': [
		...placesOf(KINDS, 'outbound'),
		'destroy:inbound',
	],
	'inbound leg': placesOf(KINDS, 'inbound'),
	'inbound leg, answer, destroy': ['create:inbound', ...LATER],
	destroy: placesOf(['destroy'], 'inbound', 'outbound'),
} as const satisfies Record<string, Place[]>;

export type Presence = keyof typeof PRESENCE;

/** Returns the kind of event and leg of a context. */
export const placeOf = ({ event, leg }: Pick<EventContext, 'event' | 'leg'>): Place => {
	const kind = event.slice('CHANNEL_'.length).toLowerCase() as Kind;
	return `${kind}:${leg.direction}`;
};
