import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import type { LegProfile } from '../../records/legProfile';
import { lacksFirstLeg, legProfileOf } from '../../records/legProfile';
import { passes } from '../../records/output';
import { readCdrs } from '../../records/readCdrs';
import { unixToGregorian } from '../../values/time';
import type { Cursor, SeenRecords } from './cursor';
import { cursorAt } from './cursor';
import type { Emitted } from './items';
import { emit, itemsOf } from './items';
import type { PollContext, Settings } from './settings';
import type { Found, KeyedRecord, Candidate } from './candidates';
import { findCandidates, pendingOf, WAITS } from './candidates';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** A poll needs so much time to read once more after it has waited for calls to settle. */
const READ_MS = 1000;

/** What a poll gives, and what it leaves for the next one. */
export interface Polled {
	items: INodeExecutionData[];
	cursor: Cursor;
}

/** A range in Unix milliseconds. It is read an overlap beyond `until`, since the PBX's clock may be ahead. */
export interface Window {
	from: number;
	until: number;
	now: number;
}

/**
 * Reads what came since the last poll, in windows of about a day, and gives what is complete. Where calls have just ended, it
 * waits once for them to settle. Throws a NodeApiError when the first window cannot be read; the cursor then stays as it was.
 */
export async function pollWindows(poll: PollContext, start: Cursor): Promise<Polled> {
	const { maxItems } = poll.settings;
	let polled: Polled = { items: [], cursor: start };
	let isFirst = true;
	let hasWaited = false;
	for (;;) {
		const { items, cursor } = polled;
		const reading = readWindow(poll, cursor, maxItems - items.length);
		const read = isFirst ? await reading : await reading.catch(() => undefined);
		if (!read) return polled;
		isFirst = false;
		polled = { items: items.concat(read.items), cursor: read.cursor };
		if (polled.items.length >= maxItems || Date.now() >= poll.endsAt) return polled;
		if (!read.isLast && read.cursor.until > cursor.until) continue;

		const hasTime = Date.now() + WAITS.settleMs + READ_MS < poll.endsAt;
		if (!read.isLast || !read.isSettling || hasWaited || !hasTime) return polled;
		hasWaited = true;
		await sleep(WAITS.settleMs);
	}
}

async function readWindow(poll: PollContext, cursor: Cursor, room: number) {
	const { kind, overlapMs } = poll.settings;
	const now = Date.now();
	const target = Math.max(now, cursor.until);
	const until = Math.min(target, cursor.until + DAY_MS + longestWait(poll.settings));
	const isLast = until === target;
	const records = await readRecords(poll, cursor.from, until + overlapMs);
	const found = findCandidates(cursor.seen, records, kind, now);
	const known = { ...cursor.profile, ...legProfileOf(records, now) };
	const isAsked = kind !== 'newCallRecord' && found.candidates.length > 0;
	const profile = isAsked ? await completeProfile(poll, known, now) : known;
	const learned = { ...cursor, profile };
	const due = isLast ? found.candidates : found.candidates.filter(({ lastAt }) => lastAt <= until);
	const emitted = await emit(poll, due, { cursor: learned, now, room });
	const window = { from: cursor.from, until, now };
	const { items, isSettling } = emitted;
	return { items, isSettling, isLast, cursor: advance(poll, learned, { found, emitted, window }) };
}

/** Where the records of a window do not tell which calls have a first leg, those of the last week may. */
async function completeProfile(
	poll: PollContext,
	known: LegProfile,
	now: number,
): Promise<LegProfile> {
	if (known.hasFirstLegs !== undefined) return known;
	const records = await readRecords(poll, now - WEEK_MS, now).catch(() => []);
	return { ...known, ...legProfileOf(records, now) };
}

/** How long after its time a candidate may still be waited for, in milliseconds. */
function longestWait({ overlapMs, giveUpMs }: Settings): number {
	return overlapMs + Math.max(overlapMs, giveUpMs, WAITS.unknownMs);
}

/** Reads the CDRs of a range in Unix milliseconds. */
async function readRecords(poll: PollContext, from: number, to: number): Promise<IDataObject[]> {
	return await readCdrs(poll.pbx, {
		from: unixToGregorian(Math.floor(from / 1000)),
		to: unixToGregorian(Math.ceil(to / 1000)),
		accountId: poll.settings.accountId,
		windowSeconds: WEEK_MS / 1000,
	});
}

/** The cursor at the end of a window, but not past a candidate that is open. The next window begins an overlap before it. */
export function advance(
	{ settings }: Pick<PollContext, 'settings'>,
	cursor: Cursor,
	read: { found: Found; emitted: Pick<Emitted, 'done' | 'tried'>; window: Window },
): Cursor {
	const { found, emitted, window } = read;
	const open = found.candidates.filter((candidate) => !emitted.done.has(candidate));
	const reached = open.reduce((least, { firstAt }) => Math.min(least, firstAt), window.until);
	const from = Math.max(window.from, reached - settings.overlapMs);
	const handled = [...found.handled, ...[...emitted.done].flatMap(({ records }) => records)];
	const waiting = open.filter(({ lastAt }) => lastAt > window.now - longestWait(settings));
	return {
		...cursor,
		until: Math.max(cursor.until, reached),
		from,
		seen: {
			...after(from - 1000, cursor.seen),
			...after(from - settings.overlapMs, counted(handled)),
		},
		pending: Object.fromEntries(
			waiting.map((candidate) => {
				const pending = pendingOf(candidate, cursor.pending, window.now);
				return [
					candidate.id,
					emitted.tried.has(candidate) ? { ...pending, triedAt: window.now } : pending,
				];
			}),
		),
	};
}

function counted(records: readonly KeyedRecord[]): SeenRecords {
	const counts = new Map<string, [number, number]>();
	for (const { key, at } of records)
		counts.set(key, [Math.floor(at / 1000), (counts.get(key)?.[1] ?? 0) + 1]);
	return Object.fromEntries(counts);
}

function after(unixMs: number, seen: SeenRecords): SeenRecords {
	return Object.fromEntries(
		Object.entries(seen).filter(([, [endedAt]]) => endedAt * 1000 > unixMs),
	);
}

/** How many days to look back for recent calls: further as long as there are not enough. */
const LOOK_BACK = [1, 7, 31];
const MOST_SAMPLES = 3;

/**
 * The first poll that reads: gives nothing, the most recent calls, or those since a date, and takes what else ended before as
 * handled. `since` is n8n's start in Unix milliseconds, where that came before: calls that ended later count as new.
 */
export async function firstPoll(
	poll: PollContext,
	source: string,
	since = Infinity,
): Promise<Polled> {
	const { firstRun } = poll.settings;
	if (firstRun.kind === 'since') return await pollWindows(poll, cursorAt(source, firstRun.at));
	const count = firstRun.kind === 'last' ? firstRun.count : 0;
	const { found, old, recent, profile, window } = await lookBack(poll, count, since);
	const making = { room: count, now: window.now, pending: {} };
	const { items, tried } = await itemsOf(poll, recent, making);
	const done = new Set(
		old.filter((candidate) => items.has(candidate) || !recent.includes(candidate)),
	);
	const start = { ...cursorAt(source, window.from), profile };
	const cursor = advance(poll, start, { found, emitted: { done, tried }, window });
	return { items: [...items.values()], cursor };
}

/** Gives recent calls for "Fetch Test Event", without any cursor; throws a NodeOperationError when there are none. */
export async function recentItems(poll: PollContext): Promise<INodeExecutionData[]> {
	const { recent, window } = await lookBack(poll, MOST_SAMPLES);
	const making = { room: MOST_SAMPLES, now: window.now, pending: {}, isLastTry: true };
	const { items } = await itemsOf(poll, recent, making);
	if (items.size > 0) return [...items.values()];

	const what = { newCall: 'calls', newCallRecord: 'call records', recordingReady: 'recordings' };
	const message = `There are no ${what[poll.settings.kind]} to show`;
	throw new NodeOperationError(poll.context.getNode(), message, {
		description: `The PBX has none from the last ${LOOK_BACK.at(-1)} days that match the filters. Place a test call, or change the filters.`,
	});
}

/** What was found when looking back: all candidates, those that ended before, and the recent ones among these. */
interface LookedBack {
	found: Found;
	old: Candidate[];
	recent: Candidate[];
	profile: LegProfile;
	window: Window;
}

/** Looks back for so many recent candidates that ended before `since`, further as long as there are not enough. */
async function lookBack(
	poll: PollContext,
	count: number,
	since = Infinity,
	[days = 0, ...further] = count === 0 ? [] : LOOK_BACK,
): Promise<LookedBack> {
	const { kind, overlapMs, filters } = poll.settings;
	const now = Date.now();
	const from = Math.min(now - days * DAY_MS, since) - overlapMs;
	const records = await readRecords(poll, from, now + overlapMs);
	const profile = legProfileOf(records, now);
	const found = findCandidates({}, records, kind, now);
	const isUnderWay = ({ legs, lastAt }: Candidate) =>
		kind === 'newCall' && now - lastAt < overlapMs && lacksFirstLeg(legs, profile) === true;
	// Records tell no parts of a second.
	const sinceSecond = Math.floor(since / 1000) * 1000;
	const old = found.candidates.filter(
		(candidate) => candidate.lastAt < sinceSecond && !isUnderWay(candidate),
	);
	const wanted = old.filter(({ legs }) => passes(legs, filters));
	if (wanted.length < count && further.length > 0)
		return await lookBack(poll, count, since, further);
	const recent = count === 0 ? [] : wanted.slice(-count);
	return { found, old, recent, profile, window: { from, until: now, now } };
}
