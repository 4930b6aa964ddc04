import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { LegProfile } from '../../records/legProfile';
import { legProfileOf } from '../../records/legProfile';
import { readCdrs } from '../../records/readCdrs';
import { unixToGregorian } from '../../values/time';
import type { Cursor, SeenRecords } from './cursor';
import type { Given } from './items';
import { giveItems } from './items';
import type { Poll, Settings } from './settings';
import type { Found, KeyedRecord } from './units';
import { findUnits, pendingOf, WAITS } from './units';

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
 * Reads what came since the last poll and gives what is complete: in windows of about a day, until now, as many items as a
 * run may give, or the end of the poll's time. Where calls have just ended, it waits once for them to settle.
 *
 * @throws NodeApiError from the transport when the first window cannot be read; the cursor then stays as it was
 */
export async function catchUp(poll: Poll, start: Cursor): Promise<Polled> {
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

async function readWindow(poll: Poll, cursor: Cursor, room: number) {
	const { kind, overlapMs } = poll.settings;
	const now = Date.now();
	const target = Math.max(now, cursor.until);
	const until = Math.min(target, cursor.until + DAY_MS + longestWait(poll.settings));
	const isLast = until === target;
	const records = await readRecords(poll, cursor.from, until + overlapMs);
	const found = findUnits(cursor.seen, records, kind, now);
	const known = { ...cursor.profile, ...legProfileOf(records, now) };
	const isAsked = kind !== 'newCallRecord' && found.units.length > 0;
	const profile = isAsked ? await completeProfile(poll, known, now) : known;
	const learned = { ...cursor, profile };
	const due = isLast ? found.units : found.units.filter(({ lastAt }) => lastAt <= until);
	const given = await giveItems(poll, due, { cursor: learned, now, room });
	const window = { from: cursor.from, until, now };
	const { items, isSettling } = given;
	return { items, isSettling, isLast, cursor: advance(poll, learned, { found, given, window }) };
}

/** Where the records of a window do not tell which calls have a first leg, those of the last week may. */
async function completeProfile(poll: Poll, known: LegProfile, now: number): Promise<LegProfile> {
	if (known.hasFirstLegs !== undefined) return known;
	const records = await readRecords(poll, now - WEEK_MS, now).catch(() => []);
	return { ...known, ...legProfileOf(records, now) };
}

/** How long after its time a unit may still be waited for, in milliseconds. */
function longestWait({ overlapMs, giveUpMs }: Settings): number {
	return overlapMs + Math.max(overlapMs, giveUpMs, WAITS.unknownMs);
}

/** Reads the CDRs of a range in Unix milliseconds. */
export async function readRecords(poll: Poll, from: number, to: number): Promise<IDataObject[]> {
	return await readCdrs(poll.pbx, {
		from: unixToGregorian(Math.floor(from / 1000)),
		to: unixToGregorian(Math.ceil(to / 1000)),
		accountId: poll.settings.accountId,
		windowSeconds: WEEK_MS / 1000,
	});
}

/**
 * The cursor after a window. It goes on to the end of the window, but not past a unit that is still open; neither does the
 * next window begin later than an overlap before such a unit.
 */
export function advance(
	{ settings }: Pick<Poll, 'settings'>,
	cursor: Cursor,
	read: { found: Found; given: Pick<Given, 'done' | 'tried'>; window: Window },
): Cursor {
	const { found, given, window } = read;
	const open = found.units.filter((unit) => !given.done.has(unit));
	const reached = open.reduce((least, { firstAt }) => Math.min(least, firstAt), window.until);
	const from = Math.max(window.from, reached - settings.overlapMs);
	const handled = [...found.handled, ...[...given.done].flatMap(({ records }) => records)];
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
			waiting.map((unit) => {
				const pending = pendingOf(unit, cursor.pending, window.now);
				return [unit.id, given.tried.has(unit) ? { ...pending, triedAt: window.now } : pending];
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
