import { cdrTime } from '../../records/cdr';
import type { Progress, SeenRecords, Waiting } from './progress';
import type { Found, KeyedRecord, Unit } from './units';
import { fullKeysOf } from './units';

/** The times that decide when something is complete, in milliseconds. */
export interface Waits {
	/** How long a call must have got no further leg. */
	settleMs: number;
	/** How long to wait for the leg that began a call; undefined where calls have no such leg. */
	firstLegMs: number | undefined;
	/** How far the PBX's records may be late and its clock off. */
	overlapMs: number;
}

/** What was read, in Unix milliseconds. */
export interface Window {
	from: number;
	/** Records up to here had their chance; what was read beyond is for clocks that are ahead. */
	until: number;
	now: number;
	overlapMs: number;
	/** Units older than this need no entry in `waiting`. */
	waitMs: number;
}

/**
 * Tells whether a call is complete: the leg that began it is recorded, and no leg was added for the settle time; or that
 * leg did not come in the time that it is waited for. Legs older than the overlap and that time together need no waiting.
 * Legs that come after their call was told are not waited for beyond the settle time, and calls without such a leg neither.
 */
export function isComplete(
	unit: Unit,
	waiting: Progress['waiting'],
	now: number,
	patience: Waits,
): boolean {
	const { settleMs, firstLegMs, overlapMs } = patience;
	const [firstSeen, lastChange] = waitingOf(unit, waiting, now);
	const age = unit.lastTime === undefined ? 0 : now - unit.lastTime;
	const isSettled = now - lastChange >= settleMs || age >= overlapMs + settleMs;
	if (unit.isWhole || unit.isLate || firstLegMs === undefined) return isSettled;
	return now - firstSeen >= firstLegMs || age >= overlapMs + firstLegMs;
}

/** Since when a unit is waited for: the former entry, with now as its last change if records were added. */
export function waitingOf(unit: Unit, waiting: Progress['waiting'], now: number): Waiting {
	const count = unit.records.length;
	const [firstSeen, lastChange, before] = waiting[unit.id] ?? [now, now, count];
	return [firstSeen, before === count ? lastChange : now, count];
}

/**
 * The progress after a window: handled are the units that are done, and all that was handled before. The watermark goes
 * on to the end of the window, but not past a record that is still open, and never back.
 *
 * @param done units that were told, or that nobody wants to hear of
 */
export function advance(
	progress: Progress,
	found: Found,
	done: ReadonlySet<Unit>,
	window: Window,
): Progress {
	const open = found.units.filter((unit) => !done.has(unit));
	const held = open.map(({ firstTime }) => firstTime ?? progress.watermark);
	const watermark = Math.max(progress.watermark, Math.min(window.until, ...held));
	const from = Math.max(window.from, watermark - window.overlapMs);

	const recent = open.filter(({ lastTime }) => (lastTime ?? Infinity) > window.now - window.waitMs);
	const handled = [...found.handled];
	for (const { records, keys } of done) {
		keys.forEach((key, index) => handled.push({ key, record: records[index] ?? {} }));
	}
	return {
		...progress,
		watermark,
		from: window.from,
		seen: joinSeen(stillNear(progress.seen, from), seenOf(handled)),
		waiting: Object.fromEntries(
			recent.map((unit) => [unit.id, waitingOf(unit, progress.waiting, window.now)]),
		),
	};
}

/** Entries that the next window may hold, whether the PBX gave them this time or not. */
function stillNear(seen: SeenRecords, from: number): SeenRecords {
	const near = Object.entries(seen).filter(([, entry]) => parseInt(entry, 10) * 1000 > from - 1000);
	return Object.fromEntries(near);
}

function seenOf(handled: KeyedRecord[]): SeenRecords {
	const seen: SeenRecords = {};
	for (const { record, key } of handled) {
		const before = seen[key.stable];
		const time = Math.floor((cdrTime(record) ?? 0) / 1000);
		seen[key.stable] = before === undefined ? `${time}:${key.full}` : before + key.full;
	}
	return seen;
}

/** Where the PBX gave fewer records of one key than before, the former count stays. */
function joinSeen(before: SeenRecords, now: SeenRecords): SeenRecords {
	const joined: SeenRecords = { ...before };
	for (const [key, entry] of Object.entries(now)) {
		const former = before[key];
		const isLess = former !== undefined && fullKeysOf(former).length > fullKeysOf(entry).length;
		if (!isLess) joined[key] = entry;
	}
	return joined;
}
