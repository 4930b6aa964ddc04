import type { IDataObject } from 'n8n-workflow';

import { asText } from '../values/json';
import { areExtensions } from '../values/numbers';
import { isHidden } from './cdr';
import type { Outcome } from '../values/outcome';
import { toIso } from '../values/time';

/** What a call says about who reached whom. */
export interface CallNote {
	from: string | null;
	fromName: string | null;
	to: string | null;
	/** Whom its legs rang, and whom of them somebody talked with. */
	rang: readonly string[];
	talkedWith: readonly string[];
	/** As the switch sees its first leg, in lower case. */
	direction: string;
	outcome: Outcome;
	employee: string | null;
	/** When it ended, in Unix milliseconds; undefined when the PBX does not say. */
	at: number | undefined;
	talkSeconds: number;
	/** A call that reached nobody counts. Others only tell what came after. */
	counts: boolean;
}

/**
 * Notes what matters of a call.
 *
 * @param call as `summarizeCall` gives it
 * @param counts see {@link CallNote}
 */
export function noteOf(call: IDataObject, counts: boolean): CallNote {
	const { from, fromName, to, direction, outcome, employee, at, talkSeconds, details } = call;
	const { legs } = details as { legs: IDataObject[] };
	const isTalkedOn = ({ talkSeconds }: IDataObject) => Number(talkSeconds ?? 0) > 0;
	const textsOf = (values: unknown[]) => [
		...new Set(values.map(asText).filter((text) => text !== undefined)),
	];
	return {
		from: asText(from) ?? null,
		fromName: asText(fromName) ?? null,
		to: asText(to) ?? null,
		rang: textsOf([to, ...legs.map((leg) => leg.to)]),
		talkedWith: textsOf(legs.filter(isTalkedOn).map((leg) => leg.to)),
		direction: asText(direction)?.trim().toLowerCase() ?? '',
		outcome: outcome as Outcome,
		employee: asText(employee) ?? null,
		at: typeof at === 'string' ? Date.parse(at) : undefined,
		talkSeconds: Number(talkSeconds ?? 0),
		counts,
	};
}

/** The outcomes of calls that reached nobody. */
const UNREACHED = new Set<Outcome>(['busy', 'declined', 'failed', 'missed', 'voicemail']);

/** The contract does not say what TIMESTAMP marks (§2.4): only a long call surely began before a missed one. */
const LEEWAY_MS = 300_000;

/** One who called in vain, and what came after the last time. */
interface Caller {
	missed: CallNote[];
	/** Unix milliseconds of the last missed call; before everything else when no call tells its time. */
	lastAt: number;
	tried: CallNote[];
	calledBack: CallNote[];
	cameThrough: CallNote[];
}

/**
 * Lists those who called from outside and reached nobody, each once: how often, and whether later somebody called them back
 * or they came through. Those who hide their number stand as one in the list.
 *
 * @param notes calls in any order
 * @param keyOf gives the same text for the same number, in whichever form it comes
 * @returns those whose last missed call is the latest first
 */
export function missedCallers(
	notes: readonly CallNote[],
	keyOf: (number: string) => string,
): IDataObject[] {
	const callers = new Map<string, Caller>();
	const own = ownNumbers(notes, keyOf);
	for (const note of notes) {
		if (!note.counts || !UNREACHED.has(note.outcome)) continue;
		const key = note.from === null || isHidden(note.from) ? '' : keyOf(note.from);
		if (isByColleague(note) || (note.direction === 'outbound' && own.has(key))) continue;
		const caller = callers.get(key) ?? newCaller();
		caller.missed.push(note);
		caller.lastAt = Math.max(caller.lastAt, note.at ?? -Infinity);
		callers.set(key, caller);
	}
	for (const note of notes) addLater(note, callers, keyOf);
	return [...callers]
		.sort(([, a], [, b]) => byNumber(b.lastAt, a.lastAt))
		.map(([key, caller]) => describe(caller, key !== ''));
}

/** The numbers of the account that people call, which stand as the caller of calls that go out. */
function ownNumbers(notes: readonly CallNote[], keyOf: (number: string) => string): Set<string> {
	const dialled = notes.filter(({ direction }) => direction === 'inbound').map(({ to }) => to);
	return new Set(
		dialled.filter((to) => to !== null && !areExtensions(to)).map((to) => keyOf(to ?? '')),
	);
}

function isByColleague({ from, employee }: CallNote): boolean {
	return areExtensions(from ?? '') || (from !== null && from === employee);
}

function newCaller(): Caller {
	return { missed: [], lastAt: -Infinity, tried: [], calledBack: [], cameThrough: [] };
}

function addLater(
	note: CallNote,
	callers: ReadonlyMap<string, Caller>,
	keyOf: (number: string) => string,
): void {
	const { at, from, outcome, talkSeconds } = note;
	if (at === undefined) return;
	const began = at - talkSeconds * 1000 + LEEWAY_MS;
	const find = (number: string | null) => {
		const key = number === null ? '' : keyOf(number);
		const caller = key === '' ? undefined : callers.get(key);
		return caller && at > caller.lastAt && began > caller.lastAt ? caller : undefined;
	};
	if (outcome === 'answered') find(from)?.cameThrough.push(note);
	const reached = new Set(note.talkedWith.map(find));
	for (const caller of new Set(note.rang.map(find))) {
		const isReached = outcome === 'answered' && reached.has(caller);
		caller?.[isReached ? 'calledBack' : 'tried'].push(note);
	}
}

function describe(
	{ missed, tried, calledBack, cameThrough }: Caller,
	hasNumber: boolean,
): IDataObject {
	const byTime = [...missed].sort((a, b) => byNumber(a.at ?? -Infinity, b.at ?? -Infinity));
	const last = byTime.at(-1);
	const timed = byTime.filter(({ at }) => at !== undefined);
	const back = earliest(calledBack);
	const through = earliest(cameThrough);
	return {
		from: hasNumber ? (last?.from ?? null) : null,
		fromName: byTime.reduce<string | null>((name, note) => note.fromName ?? name, null),
		status: statusOf(back, through),
		missedCalls: missed.length,
		firstMissedAt: isoOf(timed[0]),
		lastMissedAt: isoOf(timed.at(-1)),
		calledBackAt: isoOf(back),
		calledBackBy: back?.employee ?? null,
		cameThroughAt: isoOf(through),
		lastTriedAt: isoOf(latest(tried)),
	};
}

function statusOf(back: CallNote | undefined, through: CallNote | undefined): string {
	if (!back && !through) return 'open';
	return (back?.at ?? Infinity) <= (through?.at ?? Infinity) ? 'calledBack' : 'cameThrough';
}

function earliest(notes: readonly CallNote[]): CallNote | undefined {
	return notes.reduce<CallNote | undefined>(
		(best, note) => ((note.at ?? 0) < (best?.at ?? Infinity) ? note : best),
		undefined,
	);
}

function latest(notes: readonly CallNote[]): CallNote | undefined {
	return notes.reduce<CallNote | undefined>(
		(best, note) => ((note.at ?? 0) > (best?.at ?? -Infinity) ? note : best),
		undefined,
	);
}

function isoOf(note: CallNote | undefined): string | null {
	return note?.at === undefined ? null : toIso(note.at);
}

/** Orders numbers, infinite ones too. */
function byNumber(a: number, b: number): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}
