import type { End } from '../../util/party';
import { readEnd, visibleName } from '../../util/party';
import { textsOf } from './fields';
import type { Fields } from './fields';

export type Direction = 'inbound' | 'outbound';

/** The parties in an event's call, from the fields that name them. */
export interface EventParties {
	/** The caller, from the most reliable field. */
	caller: End | undefined;
	/** Other numbers and users that can stand for the caller. */
	callerUsers: ReadonlyArray<string | undefined>;
	/** The party that the leg rings, or else the dialed number; for an inbound leg, in reverse order. */
	called: End | undefined;
	/** Other numbers and users that can stand for the called party. */
	calledUsers: ReadonlyArray<string | undefined>;
	/** `Callee-ID`. */
	callee: End | undefined;
	/** The dialed number. */
	dialed: End | undefined;
	/** Where the PBX sends the leg. */
	request: End | undefined;
	/** The number that was called first. */
	inception: End | undefined;
	/** The event's data about the other leg. */
	otherCaller: End | undefined;
	otherCalled: End | undefined;
}

const NAMES = ['Callee-ID-Name', 'Caller-ID-Name', 'Other-Leg-Caller-ID-Name'] as const;
const ENDS = [
	...(['Caller-ID-Number', 'From-Uri', 'From', 'To-Uri', 'To', 'Request'] as const),
	...(['Callee-ID-Number', 'Other-Leg-Caller-ID-Number'] as const),
	'Other-Leg-Destination-Number' as const,
];

/** Reads the parties in an event's call (§6), each text once. */
export function partiesOf(
	fields: Fields,
	vars: Fields,
	direction: Direction | undefined,
): EventParties {
	const text = textsOf([...NAMES, ...ENDS], fields);
	const variable = textsOf(['Inception', 'Username'], vars, fields);
	const ends = [...ENDS.map((name) => text[name]), variable.Inception].map(readEnd);
	const [callerId, fromUri, from, toUri, to, request, callee, otherCaller, otherCalled, inception] =
		ends;
	const calleeName = text['Callee-ID-Name'];
	const dialed = [toUri, to, request];
	const called = direction === 'outbound' ? [callee, ...dialed] : [...dialed, callee];
	return {
		caller: firstOf([callerId, fromUri, from], text['Caller-ID-Name']),
		callerUsers: [fromUri?.number, from?.number, variable.Username],
		called: firstOf([...called, otherCalled], calleeName),
		calledUsers: [request?.number, toUri?.number, to?.number],
		callee: firstOf([callee], calleeName),
		dialed: toUri ?? to ?? request,
		request,
		inception,
		otherCaller: firstOf([otherCaller], text['Other-Leg-Caller-ID-Name']),
		otherCalled,
	};
}

/** Returns the first end, with the given name or else the name found beside the same number. */
function firstOf(ends: ReadonlyArray<End | undefined>, name: string | undefined): End | undefined {
	const end = ends.find((one) => one !== undefined);
	if (!end) return undefined;
	const shown = name === undefined ? undefined : visibleName(name);
	const beside = ends.find((one) => one?.number === end.number && one.name !== undefined);
	return { ...end, name: shown ?? beside?.name };
}
