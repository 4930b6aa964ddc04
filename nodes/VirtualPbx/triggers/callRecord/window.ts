import type { INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { lacksFirstLeg, legProfileOf } from '../../calls/legProfile';
import { DAY_MS } from '../../util/time';
import type { Candidate, Found } from './candidates';
import { findCandidates, WAITS } from './candidates';
import { cursorAt, provenTime } from './cursor';
import type { Cursor } from './cursor';
import { isWanted, createItems } from './items';
import type { Window } from './reading';
import { advance, reachOf, readRecords, readWindow } from './reading';
import type { PollContext } from './settings';

/** The time a poll needs to read once more after waiting for calls to settle. */
const READ_MS = 1000;

/** The result of a poll, and what it leaves for the next one. */
export interface Polled {
	items: INodeExecutionData[];
	cursor: Cursor;
}

/**
 * Reads what is new since the last poll, in windows of about a day, and returns what is complete. If calls have just
 * ended, waits once for them to settle. Throws NodeApiError if the first window can't be read; the cursor then stays
 * unchanged.
 */
export async function pollWindows(poll: PollContext, start: Cursor): Promise<Polled> {
	const { maxItems } = poll.settings;
	let polled: Polled = { items: [], cursor: start };
	const isNew = start.polledAt === undefined;
	let isFirst = true;
	let hasWaited = false;
	let lengthMs = DAY_MS;
	for (;;) {
		const { items, cursor } = polled;
		const room = maxItems - items.length;
		const reading = readWindow(poll, cursor, { room, isNew, lengthMs });
		const read = isFirst ? await reading : await reading.catch(() => undefined);
		if (!read) return polled;
		isFirst = false;
		polled = { items: items.concat(read.items), cursor: read.cursor };
		if (isOver(poll, polled)) return polled;
		// Crosses a long silence in growing steps.
		lengthMs = read.isSilent ? 2 * lengthMs : DAY_MS;
		if (!read.isLast && reachOf(read.cursor) > reachOf(cursor)) continue;

		if (!read.isLast || !read.isSettling || hasWaited || !hasTimeToSettle(poll)) return polled;
		hasWaited = true;
		await sleep(WAITS.settleMs);
	}
}

function isOver({ settings, endsAt }: PollContext, { items }: Polled): boolean {
	return items.length >= settings.maxItems || Date.now() >= endsAt;
}

function hasTimeToSettle({ endsAt }: PollContext): boolean {
	return Date.now() + WAITS.settleMs + READ_MS < endsAt;
}

/** How many days to look back for recent calls, going further if there aren't enough. */
const LOOK_BACK = [1, 7, 31];
const MAX_SAMPLES = 3;
/** How far off n8n's clock can be without the first poll missing calls that ended before it. */
const CLOCK_ERROR_MS = DAY_MS;

/**
 * Runs the first poll that reads: returns nothing, the most recent calls, or those since a date, and marks everything
 * else that ended before as handled. If n8n's start left the reading to this poll, `since` is that time in Unix
 * milliseconds: calls that ended after it are new.
 */
export async function firstPoll(
	poll: PollContext,
	source: string,
	since = Infinity,
): Promise<Polled> {
	const { firstRun } = poll.settings;
	if (firstRun.kind === 'since') return await pollWindows(poll, cursorAt(source, firstRun.at));
	const count = firstRun.kind === 'last' ? firstRun.count : 0;
	const { found, old, recent, learned, window } = await lookBack(poll, count, since);
	const making = { room: count, ...window, pending: {} };
	const { items, tried } = await createItems(poll, recent, making);
	const done = new Set(
		old.filter((candidate) => items.has(candidate) || !recent.includes(candidate)),
	);
	const start = { ...cursorAt(source, window.from), ...learned, polledAt: window.now };
	const cursor = advance(poll, start, { found, emitted: { done, tried }, window });
	return { items: [...items.values()], cursor };
}

/** Returns recent calls for "Fetch Test Event", without a cursor. Throws NodeOperationError if there are none. */
export async function recentItems(poll: PollContext): Promise<INodeExecutionData[]> {
	const { recent, window } = await lookBack(poll, MAX_SAMPLES);
	const making = { room: MAX_SAMPLES, ...window, pending: {}, isLastTry: true };
	const { items } = await createItems(poll, recent, making);
	if (items.size > 0) return [...items.values()];

	const what = { newCall: 'calls', newCallRecord: 'call records', recordingReady: 'recordings' };
	const message = `There are no ${what[poll.settings.kind]} to show`;
	throw new NodeOperationError(poll.context.getNode(), message, {
		description: `The PBX has none from the last ${LOOK_BACK.at(-1)} days that match the filters. Place a test call, or change the filters.`,
	});
}

/** The result of looking back: all candidates, those that ended before, and the recent ones among these. */
interface LookedBack {
	found: Found;
	old: Candidate[];
	recent: Candidate[];
	learned: Pick<Cursor, 'clock' | 'profile'>;
	window: Window;
}

/** Looks back for a number of recent candidates that ended before `since`, going further if there aren't enough. */
async function lookBack(
	poll: PollContext,
	count: number,
	since = Infinity,
	[days = 0, ...further] = count === 0 ? [] : LOOK_BACK,
): Promise<LookedBack> {
	const { kind, overlapMs } = poll.settings;
	const now = Date.now();
	const from = Math.min(now - Math.max(days * DAY_MS, CLOCK_ERROR_MS), since) - overlapMs;
	const range: [number, number] = [from, now + CLOCK_ERROR_MS + overlapMs];
	const records = await readRecords(poll, range);
	const profile = legProfileOf(records, now);
	const found = findCandidates({}, records, kind, now);
	const isUnderWay = ({ legs, lastAt }: Candidate) =>
		kind === 'newCall' && now - lastAt < overlapMs && lacksFirstLeg(legs, profile) === true;
	// Records have no fractions of a second.
	const sinceSecond = Math.floor(since / 1000) * 1000;
	const old = found.candidates.filter(
		(candidate) => candidate.lastAt < sinceSecond && !isUnderWay(candidate),
	);
	const wanted = old.filter((candidate) => isWanted(candidate, poll.settings));
	if (wanted.length < count && further.length > 0)
		return await lookBack(poll, count, since, further);
	const recent = count === 0 ? [] : wanted.slice(-count);
	const time = { now, passedMs: 0 };
	const clock = provenTime({}, time, { records, overlapMs });
	const window = { from, until: now, ...time };
	return { found, old, recent, learned: { clock, profile }, window };
}
