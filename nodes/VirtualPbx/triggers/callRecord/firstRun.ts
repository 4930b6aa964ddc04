import type { INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { lacksFirstLeg, legProfileOf } from '../../records/legProfile';
import { passes } from '../../records/output';
import { cursorAt } from './cursor';
import { itemsOf } from './items';
import type { Poll } from './settings';
import type { Unit } from './units';
import { findUnits } from './units';
import type { Polled, Window } from './window';
import { advance, catchUp, readRecords } from './window';

const DAY_MS = 86_400_000;
/** How many days to look back for recent calls: further as long as there are not enough. */
const LOOK_BACK = [1, 7, 31];
const MOST_SAMPLES = 3;

/**
 * The first poll that reads: takes what ended before as handled and gives nothing, the most recent calls, or those since a
 * date. A call that is under way comes when it is complete.
 *
 * @param source whose records they are, see `Cursor`
 * @param since Unix milliseconds of n8n's start, where that came before: calls that ended later count as new
 */
export async function begin(poll: Poll, source: string, since = Infinity): Promise<Polled> {
	const { firstRun } = poll.settings;
	if (firstRun.kind === 'since') return await catchUp(poll, cursorAt(source, firstRun.at));
	const count = firstRun.kind === 'last' ? firstRun.count : 0;
	const { found, old, recent, profile, window } = await lookBack(poll, count, since);
	const making = { room: count, now: window.now, pending: {} };
	const { items, tried } = await itemsOf(poll, recent, making);
	const done = new Set(old.filter((unit) => items.has(unit) || !recent.includes(unit)));
	const start = { ...cursorAt(source, window.from), profile };
	const cursor = advance(poll, start, { found, given: { done, tried }, window });
	return { items: [...items.values()], cursor };
}

/**
 * Gives recent calls for "Fetch Test Event", without any cursor.
 *
 * @throws NodeOperationError when there are none
 */
export async function recentItems(poll: Poll): Promise<INodeExecutionData[]> {
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

/**
 * Looks back for recent units, further as long as there are not enough.
 *
 * @param count how many are looked for
 * @param since Unix milliseconds; units that ended later do not count
 */
async function lookBack(poll: Poll, count: number, since = Infinity) {
	const [first = 0, ...further] = LOOK_BACK;
	let looked = await readBack(poll, count, since, count === 0 ? 0 : first);
	for (const days of further) {
		if (looked.recent.length >= count) break;
		looked = await readBack(poll, count, since, days);
	}
	return looked;
}

async function readBack(poll: Poll, count: number, since: number, days: number) {
	const { kind, overlapMs, filters } = poll.settings;
	const now = Date.now();
	const window: Window = {
		from: Math.min(now - days * DAY_MS, since) - overlapMs,
		until: now,
		now,
	};
	const records = await readRecords(poll, window.from, now + overlapMs);
	const profile = legProfileOf(records, now);
	const found = findUnits({}, records, kind, now);
	const isUnderWay = ({ legs, lastAt }: Unit) =>
		kind === 'newCall' && now - lastAt < overlapMs && lacksFirstLeg(legs, profile) === true;
	// Records tell no parts of a second.
	const sinceSecond = Math.floor(since / 1000) * 1000;
	const old = found.units.filter((unit) => unit.lastAt < sinceSecond && !isUnderWay(unit));
	const wanted = old.filter(({ legs }) => passes(legs, filters));
	return { found, old, recent: count === 0 ? [] : wanted.slice(-count), profile, window };
}
