import type { IDataObject } from 'n8n-workflow';

import { CONCURRENT_READS } from '../transport/limits';
import { mapInOrder } from '../transport/mapInOrder';
import type { Pbx } from '../transport/pbx';
import { gregorianNow, gregorianToUnix, unixToGregorian } from '../values/time';
import type { CallLegs } from './call';
import { groupByCall, haveInboundLegs, sortByTime } from './call';
import type { CallAt, Sought } from './callRange';
import { MARGIN_MS, newestCallsFirst, REACH_MS, timeOfCall, timesOf, verdictOf } from './callRange';
import { cdrText } from './cdr';
import { havePlacedFirstLegs } from './placed';
import type { CdrQuery } from './readCdrs';
import { dropDoubles, growingWindows, readWindows, SEAM } from './readCdrs';

/** Gregorian seconds. */
interface Ends {
	from: number;
	to: number;
}

/** A search for calls (§4.3); the end of the range is excluded. */
export interface CallsQuery
	extends Pick<CdrQuery, 'accountId' | 'itemIndex' | 'windowSeconds'>,
		Ends {
	/** Leaves calls out before they count; the legs are oldest first. */
	keep?: ((legs: readonly IDataObject[]) => boolean) | undefined;
}

/** What was read so far. */
interface Reading {
	pbx: Pbx;
	query: CallsQuery;
	known: Ends;
	records: IDataObject[];
	/** Legs of calls that were looked up, by Bridge-ID. */
	lookedUp: Map<string, IDataObject[]>;
}

const MARGIN = MARGIN_MS / 1000;
const REACH = REACH_MS / 1000;
const DAY = 86_400;
/** More calls than these are not looked up one by one. */
const MOST_LOOKUPS = 100;

/**
 * Reads calls (GET `cdrs`, §4.3): all legs of each call whose {@link timeOfCall} lies in the range, so that whoever reads a
 * range in parts gets each call once. For that it reads some hours more at both ends, and looks up by Bridge-ID what may
 * lie even further away. With a limit it reads windows that grow, newest first, until it has as many calls.
 *
 * @param limit how many calls at most; undefined for all
 * @returns the calls, newest first, and last those of which the PBX tells no time; their legs oldest first
 * @throws NodeApiError from the transport
 */
export async function readCalls(pbx: Pbx, query: CallsQuery, limit = Infinity): Promise<CallAt[]> {
	const { from, to, windowSeconds: longest, keep = () => true } = query;
	const outer = { from: from - MARGIN, to: to + MARGIN };
	const windows = growingWindows(outer, limit === Infinity ? longest : DAY, longest);
	const known = { from: outer.to, to: outer.to };
	const reading: Reading = { pbx, query, known, records: [], lookedUp: new Map() };
	let wanted: CallAt[] = [];
	for await (const { range, records } of readWindows(pbx, placeOf(query), windows)) {
		reading.records = reading.records.length === 0 ? records : reading.records.concat(records);
		known.from = range.from ?? outer.from;
		const isLast = known.from <= outer.from;
		if (!isLast && limit === Infinity) continue;
		const calls = isLast ? await allCalls(reading) : await settledCalls(reading);
		wanted = calls.filter(({ legs }) => keep(legs));
		if (wanted.length >= limit) break;
	}
	return wanted.slice(0, limit);
}

/** A range is read in parts of this length, so that the records of one part alone are in memory. */
const PART = 7 * DAY;

/**
 * Reads calls as {@link readCalls} does, in parts: newest first, each with those that it lacks up to the limit.
 *
 * @throws NodeApiError from the transport
 * @yields the calls of a part, possibly none
 */
export async function* readCallParts(
	pbx: Pbx,
	query: CallsQuery,
	limit = Infinity,
): AsyncGenerator<CallAt[]> {
	let left = limit;
	for (let to = query.to; to > query.from && left > 0; to -= PART) {
		const from = Math.max(query.from, to - PART);
		const calls = await readCalls(pbx, { ...query, from, to }, left);
		left -= calls.length;
		yield calls;
	}
}

function placeOf({ accountId, itemIndex }: CallsQuery) {
	return { accountId, itemIndex };
}

/** The calls of that part of the range of which enough is known, as long as not all of it is. */
async function settledCalls(reading: Reading): Promise<CallAt[]> {
	const { known, query } = reading;
	const haveFirstLegs = haveInboundLegs(reading.records, Date.now());
	const from = known.from + (haveFirstLegs === false ? REACH : MARGIN);
	const wanted = { from, to: query.to };
	if (from >= query.to) return [];
	let found = findCalls(reading, wanted, haveFirstLegs);
	if (found.open.length > MOST_LOOKUPS) {
		await extend(reading, after(reading));
		found = findCalls(reading, wanted, haveFirstLegs);
	}
	return found.open.length > MOST_LOOKUPS ? [] : await withOpen(reading, wanted, found);
}

/** The calls of the whole range. */
async function allCalls(reading: Reading): Promise<CallAt[]> {
	const haveFirstLegs = haveInboundLegs(reading.records, Date.now());
	let found = findCalls(reading, reading.query, haveFirstLegs);
	if (found.open.length > MOST_LOOKUPS) {
		await extend(reading, after(reading));
		await extend(reading, before(reading));
		found = findCalls(reading, reading.query, haveFirstLegs);
	}
	const timeless = found.timeless.length > 0 ? await timelessCalls(reading, found.timeless) : [];
	return (await withOpen(reading, reading.query, found)).concat(newestCallsFirst(timeless));
}

/** Calls that surely belong to a range, that may, and that tell no time. */
interface Found {
	calls: CallLegs[];
	open: CallLegs[];
	timeless: CallLegs[];
	habit: Habit;
}

/** Which calls of the account have a first leg. */
type Habit = Pick<Sought, 'haveFirstLegs' | 'havePlacedFirstLegs'>;

function findCalls(
	{ records, known }: Reading,
	wanted: Ends,
	haveFirstLegs: boolean | undefined,
): Found {
	const all = groupByCall(records);
	const habit = { haveFirstLegs, havePlacedFirstLegs: havePlacedFirstLegs(all) };
	const found: Found = { calls: [], open: [], timeless: [], habit };
	const sought = { wanted: inMs(wanted), known: inMs(known), now: Date.now(), ...habit };
	for (const call of all) {
		call.legs = sortByTime(call.legs);
		const verdict = verdictOf(call, sought);
		if (verdict === 'in') found.calls.push(call);
		else if (verdict === 'open') found.open.push(call);
		else if (timeOfCall(call.legs) === undefined) found.timeless.push(call);
	}
	return found;
}

function inMs({ from, to }: Ends): Ends {
	return { from: gregorianToUnix(from) * 1000, to: gregorianToUnix(to) * 1000 };
}

function after({ known }: Reading): Ends {
	const soon = gregorianNow() + MARGIN;
	return { from: known.to - SEAM, to: Math.min(known.to + REACH, soon) };
}

function before({ known }: Reading): Ends {
	return { from: known.from - REACH, to: known.from + SEAM };
}

/** Reads further records beside those that are known. */
async function extend(reading: Reading, range: Ends): Promise<void> {
	const { pbx, query, known } = reading;
	if (range.from >= range.to) return;
	const windows = growingWindows(range, query.windowSeconds, query.windowSeconds);
	for await (const window of readWindows(pbx, placeOf(query), windows)) {
		const before = { range: known, records: reading.records };
		reading.records = reading.records.concat(dropDoubles(before, window));
	}
	known.from = Math.min(known.from, range.from);
	known.to = Math.max(known.to, range.to);
}

/** Looks up the calls that may belong to a range; gives those that do with the others, newest first. */
async function withOpen(reading: Reading, wanted: Ends, found: Found): Promise<CallAt[]> {
	const { calls, open, habit } = found;
	const known = { from: -Infinity, to: Infinity };
	const sought = { wanted: inMs(wanted), known, now: Date.now(), ...habit };
	const whole = await mapInOrder(
		open.length,
		CONCURRENT_READS,
		async (index) => await lookUp(reading, open[index]),
	);
	const more = whole.filter((call) => call !== undefined && verdictOf(call, sought) === 'in');
	return newestCallsFirst(calls.concat(more as CallLegs[]));
}

/** Reads all legs of a call by its Bridge-ID, some of which are known. */
async function lookUp(reading: Reading, call: CallLegs | undefined): Promise<CallLegs | undefined> {
	const { pbx, query, lookedUp } = reading;
	const { bridgeId, legs = [] } = call ?? {};
	const times = timesOf(legs);
	if (bridgeId === undefined || !times) return call;
	const before = lookedUp.get(bridgeId);
	if (before) return { bridgeId, legs: before };
	const range = {
		from: Math.floor(unixToGregorian(times.earliest / 1000)) - REACH,
		to: Math.ceil(unixToGregorian(times.latest / 1000)) + REACH,
	};
	const keep = (record: IDataObject) => cdrText(record, 'BRIDGE_ID') === bridgeId;
	const search = { ...placeOf(query), filters: { filter_bridge_id: bridgeId }, keep };
	const found: IDataObject[] = [];
	for await (const { records } of readWindows(pbx, search, [range])) found.push(...records);
	const all = found.length < legs.length ? legs : sortByTime(found);
	lookedUp.set(bridgeId, all);
	return { bridgeId, legs: all };
}

/** Of the calls that tell no time, those that the PBX itself takes for some of the range. */
async function timelessCalls(reading: Reading, timeless: CallLegs[]): Promise<CallLegs[]> {
	const { pbx, query } = reading;
	const { from, to, windowSeconds } = query;
	const ids = new Set(timeless.map(({ bridgeId }) => bridgeId));
	const records: IDataObject[] = [];
	const windows = growingWindows({ from, to: to - 1 }, windowSeconds, windowSeconds);
	for await (const window of readWindows(pbx, placeOf(query), windows)) {
		for (const record of window.records) {
			if (ids.has(cdrText(record, 'BRIDGE_ID'))) records.push(record);
		}
	}
	return groupByCall(records).filter(({ legs }) => timeOfCall(legs) === undefined);
}
