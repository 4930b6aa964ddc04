import type { Call } from '../calls/call';
import type { EventName } from '../model/types';
import type { Leg } from '../calls/leg';
import type { Settings } from '../model/settings';

/** All that an event is made from. */
export interface EventContext {
	call: Call;
	leg: Leg;
	event: EventName;
	msgId: string;
	settings: Settings;
}

/** A kind of event on a kind of leg. */
export type Place = `${'create' | 'answer' | 'destroy'}:${Leg['direction']}`;

const BOTH = (kind: 'create' | 'answer' | 'destroy'): Place[] => [
	`${kind}:inbound`,
	`${kind}:outbound`,
];
const LATER = [...BOTH('answer'), ...BOTH('destroy')];

/** The phrases of the column "Present in" of §6, and the events that they mean. */
export const PRESENCE = {
	all: [...BOTH('create'), ...LATER],
	'create (inbound leg), answer, destroy': ['create:inbound', ...LATER],
	'create (outbound leg), answer, destroy': ['create:outbound', ...LATER],
	'answer, destroy': LATER,
	'all except outbound create': ['create:inbound', ...LATER],
	'outbound leg events; destroy of inbound leg': [
		'create:outbound',
		'answer:outbound',
		'destroy:outbound',
		'destroy:inbound',
	],
	'inbound leg': ['create:inbound', 'answer:inbound', 'destroy:inbound'],
	'inbound leg, answer, destroy': ['create:inbound', ...LATER],
	destroy: BOTH('destroy'),
} as const satisfies Record<string, Place[]>;

export type Presence = keyof typeof PRESENCE;

/** Gives the kind of event and leg of a context. */
export const placeOf = ({ event, leg }: Pick<EventContext, 'event' | 'leg'>): Place => {
	const kind = event.slice('CHANNEL_'.length).toLowerCase() as 'create' | 'answer' | 'destroy';
	return `${kind}:${leg.direction}`;
};
