import type { End } from '../../util/party';
import { nameBeside, readCaller, readEnd } from '../../util/party';
import type { ReadText } from './fields';

/** The direction of a leg as the switch sees it (§6). */
export type Direction = 'inbound' | 'outbound';

/** The parties in an event's call, from the fields that name them. */
export interface EventParties {
	/** The caller, from the most reliable field. */
	caller: End | undefined;
	/** Other numbers and users that can stand for the caller. */
	callerUsers: ReadonlyArray<End | undefined>;
	/** The party that the leg rings, or else the dialed number. For an inbound leg, the dialed number comes first. */
	called: End | undefined;
	/** Other numbers and users that can stand for the called party. */
	calledUsers: ReadonlyArray<End | undefined>;
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

/** Reads the parties in an event's call (§6). */
export function partiesOf(
	text: ReadText,
	variable: ReadText,
	direction: Direction | undefined,
): EventParties {
	const callerId = readCaller(text('Caller-ID-Number'));
	const fromUri = readCaller(text('From-Uri'));
	const from = readCaller(text('From'));
	const toUri = readEnd(text('To-Uri'));
	const to = readEnd(text('To'));
	const request = readEnd(text('Request'));
	const callee = readEnd(text('Callee-ID-Number'));
	const otherCaller = readCaller(text('Other-Leg-Caller-ID-Number'));
	const otherCalled = readEnd(text('Other-Leg-Destination-Number'));
	const calleeName = text('Callee-ID-Name');
	const dialed = [toUri, to, request];
	const called = direction === 'outbound' ? [callee, ...dialed] : [...dialed, callee];
	return {
		caller: firstOf([callerId, fromUri, from], text('Caller-ID-Name')),
		callerUsers: [fromUri, from, readEnd(variable('Username'))],
		called: firstOf([...called, otherCalled], calleeName),
		calledUsers: [request, toUri, to],
		callee: firstOf([callee], calleeName),
		dialed: toUri ?? to ?? request,
		request,
		inception: readEnd(variable('Inception')),
		otherCaller: firstOf([otherCaller], text('Other-Leg-Caller-ID-Name')),
		otherCalled,
	};
}

/** Returns the first end, with the given name, or else name and host as beside the same number. */
function firstOf(ends: ReadonlyArray<End | undefined>, name: string | undefined): End | undefined {
	const end = ends.find((one) => one !== undefined);
	if (!end) return undefined;
	const { number, text } = end;
	const same = ends.filter((one) => one?.number === number);
	return {
		number,
		name: nameBeside(number, name) ?? same.find((one) => one?.name !== undefined)?.name,
		text,
		host: same.find((one) => one?.host !== undefined)?.host,
	};
}
