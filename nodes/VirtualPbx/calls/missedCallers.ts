import type { IDataObject } from 'n8n-workflow';

import { fillNulls } from '../util/json';
import type { Call } from './call';
import { isoOf } from './call';

/** A call between the company and an outside number, answered or not. */
export interface Contact {
	callId: string | undefined;
	/** The external party's number. */
	number: string | undefined;
	name: string | undefined;
	companyNumber: string | undefined;
	employee: string | undefined;
	isIncoming: boolean;
	isAnswered: boolean;
	/** Whether it is a missed call in the range. Other calls only show later contacts. */
	isMissed: boolean;
	/** When it ended, in Unix milliseconds; `-Infinity` if the PBX doesn't say. */
	at: number;
	talkSeconds: number;
}

/** Returns a call as a contact. If it is unknown who placed the call, counts it as a call to its called party. */
export function contactOf(call: Call, more: Pick<Contact, 'at' | 'isMissed'>): Contact {
	const customer = call.customer ?? (call.type === undefined ? call.lead.to : undefined);
	return {
		callId: call.lead.callId,
		number: customer?.number,
		name: customer?.name,
		companyNumber: call.company?.number,
		employee: call.employee?.user,
		isIncoming: call.type === 'incoming',
		isAnswered: call.outcome === 'answered',
		talkSeconds: call.talk ?? 0,
		...more,
	};
}

/**
 * The contract doesn't say what TIMESTAMP marks (§2.4): only a call longer than this surely began before a missed one.
 */
const LEEWAY_MS = 300_000;

interface Caller {
	missed: Contact[];
	/** Unix milliseconds of the last missed call; the lowest value if no call has a time. */
	lastAt: number;
	/** Later calls to the caller, unanswered and answered, and answered ones from the caller. */
	tried: Contact[];
	calledBack: Contact[];
	cameThrough: Contact[];
}

/**
 * Lists outside callers no one answered, one entry per caller, latest missed call first: how often they called, and
 * whether they were called back or got through later. Anonymous callers share one entry. `keyOf` maps all forms of a
 * number to one text.
 */
export function missedCallers(
	contacts: readonly Contact[],
	keyOf: (number: string) => string,
): IDataObject[] {
	const callers = new Map<string, Caller>();
	const keyFor = ({ number }: Contact) => (number === undefined ? '' : keyOf(number));
	for (const contact of contacts) {
		if (!contact.isMissed) continue;
		const key = keyFor(contact);
		const caller = callers.get(key) ?? newCaller();
		caller.missed.push(contact);
		caller.lastAt = Math.max(caller.lastAt, contact.at);
		callers.set(key, caller);
	}
	for (const contact of contacts) {
		const key = keyFor(contact);
		const caller = key === '' ? undefined : callers.get(key);
		if (caller) addLater(contact, caller);
	}
	return [...callers.values()].sort((a, b) => byNumber(b.lastAt, a.lastAt)).map(describe);
}

function newCaller(): Caller {
	return { missed: [], lastAt: -Infinity, tried: [], calledBack: [], cameThrough: [] };
}

function addLater(contact: Contact, caller: Caller): void {
	if (!isContactAfter(contact, caller.lastAt)) return;
	if (!contact.isIncoming) caller[contact.isAnswered ? 'calledBack' : 'tried'].push(contact);
	else if (contact.isAnswered) caller.cameThrough.push(contact);
}

/** Returns whether a call came after a missed one that ended at `missedAt`, in Unix milliseconds. */
export function isContactAfter(
	{ at, talkSeconds }: Pick<Contact, 'at' | 'talkSeconds'>,
	missedAt: number,
): boolean {
	const began = at - talkSeconds * 1000 + LEEWAY_MS;
	return at !== -Infinity && at > missedAt && began > missedAt;
}

function describe({ missed, tried, calledBack, cameThrough }: Caller): IDataObject {
	const inOrder = byTime(missed);
	const last = inOrder.at(-1);
	const timed = inOrder.filter(({ at }) => at !== -Infinity);
	const [back] = byTime(calledBack);
	const [through] = byTime(cameThrough);
	return {
		...fillNulls({
			customerNumber: last?.number,
			companyNumber: last?.companyNumber,
			status: statusOf(back, through),
			missedCalls: missed.length,
			lastMissedAt: isoOf(timed.at(-1)?.at),
			calledBackAt: isoOf(back?.at),
			calledBackBy: back?.employee,
			cameThroughAt: isoOf(through?.at),
			lastTriedAt: isoOf(byTime(tried).at(-1)?.at),
			callId: last?.callId,
		}),
		details: fillNulls({
			customerName: [...inOrder].reverse().find(({ name }) => name !== undefined)?.name,
			numbers: [],
			nationalNumber: null,
			customerCountry: null,
			firstMissedAt: isoOf(timed[0]?.at),
		}),
	};
}

function statusOf(back: Contact | undefined, through: Contact | undefined): string {
	if (!back && !through) return 'open';
	return (back?.at ?? Infinity) <= (through?.at ?? Infinity) ? 'calledBack' : 'cameThrough';
}

function byTime(contacts: readonly Contact[]): Contact[] {
	return [...contacts].sort((a, b) => byNumber(a.at, b.at));
}

/** Compares numbers, including infinite ones. */
function byNumber(a: number, b: number): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}
