import type { IBinaryData } from 'n8n-workflow';

import type { Unit } from './units';
import type { FileOutcome } from '../../transport/download';
import { pause } from '../../transport/retry';
import { storeFile } from '../../transport/storeFile';
import { cdrRecording } from '../../records/cdr';
import type { Work } from './work';

/** What became of a look for a recording. */
export type FoundFile = FileOutcome<IBinaryData | undefined>;

/** A look for a recording. It may outlive the poll that began it: a later one takes what it gave. */
interface Look {
	ended: Promise<void>;
	result?: { at: number; outcome: FoundFile } | { at: number; error: unknown };
}

/** The looks of one node, by the recording's address, and when each open unit was last looked for. */
interface Looks {
	underWay: Map<string, Look>;
	triedAt: Map<string, number>;
}

/** How many files a poll fetches at once, and how many with those that earlier polls have left under way. */
const AT_ONCE = 4;
const MOST_UNDER_WAY = 16;
/** A failure that is older tells nothing about now. */
const FRESH_MS = 60_000;
/** A file that no poll took for so long belongs to a workflow that is off. */
const KEPT_MS = 86_400_000;
const MAX_PLACES = 1000;
const MAX_UNITS = 10_000;

const places = new Map<string, Looks>();

/**
 * Looks for recordings, several at once, until the time is over: those first that were not looked for, or longest ago, so
 * that none holds up the others. A download that lasts longer goes on, and a later poll takes what it gave.
 *
 * @param take takes what a look gave, and tells whether it made an item of it
 * @param room how many items at most
 */
export async function lookFor(
	work: Work,
	units: readonly Unit[],
	take: (unit: Unit, outcome: FoundFile) => boolean,
	room: number,
): Promise<void> {
	const looks = looksOf(work);
	const { active, queue } = sortOut(units, looks);
	const most = Math.min(AT_ONCE + active.size, MOST_UNDER_WAY);
	const timeUp = pause(Math.max(0, work.span.until - Date.now()));
	let isTroubled = false;
	let items = 0;
	let begun = 0;
	for (;;) {
		while (active.size < Math.min(most, room - items)) {
			const unit = queue.shift();
			if (!unit || (begun >= AT_ONCE && isOver(work))) break;
			begun++;
			active.set(unit, begin(work, unit, looks, isTroubled));
		}
		if (active.size === 0 || items >= room) return;
		await Promise.race([timeUp, ...[...active.values()].map(({ ended }) => ended)]);
		const ended = [...active].flatMap(([unit, { result }]) => (result ? [{ unit, result }] : []));
		if (ended.length === 0) return;
		for (const { unit, result } of ended.slice(0, room - items)) {
			active.delete(unit);
			looks.underWay.delete(addressOf(unit));
			if ('error' in result) throw result.error;
			isTroubled ||= isOutOfReach(result.outcome);
			items += Number(take(unit, result.outcome));
		}
	}
}

function isOver({ span }: Work): boolean {
	return Date.now() >= span.until;
}

/** What earlier polls have left under way, and the rest in the order in which it is to be looked for. */
function sortOut(units: readonly Unit[], { underWay, triedAt }: Looks) {
	const active = new Map<Unit, Look>();
	for (const unit of units) {
		const look = underWay.get(addressOf(unit));
		if (look) active.set(unit, look);
	}
	const queue = units
		.filter((unit) => !active.has(unit))
		.sort((a, b) => (triedAt.get(a.id) ?? 0) - (triedAt.get(b.id) ?? 0));
	return { active, queue };
}

function begin(work: Work, unit: Unit, { underWay, triedAt }: Looks, isOnce: boolean): Look {
	const { context, files, settings } = work;
	const { addresses = [], file = '' } = cdrRecording(unit.records[0] ?? {}) ?? {};
	const request = { addresses, waitMs: 0, isOnce };
	const fetched: Promise<FoundFile> =
		settings.attachTo === undefined
			? files.fetchFile(request, async () => ({ value: undefined }))
			: files.fetchFile(request, storeFile(context, file));
	const look: Look = { ended: Promise.resolve() };
	look.ended = fetched.then(
		(outcome) => void (look.result = { at: Date.now(), outcome }),
		(error: unknown) => void (look.result = { at: Date.now(), error }),
	);
	triedAt.set(unit.id, Date.now());
	underWay.set(addressOf(unit), look);
	return look;
}

function addressOf({ records: [record = {}] }: Unit): string {
	return cdrRecording(record)?.addresses[0] ?? '';
}

/** The server of the recordings may be out of order, so that further looks may fail, too. */
function isOutOfReach(outcome: FoundFile): boolean {
	if (outcome.ok) return false;
	const { kind, status = 0 } = outcome.failure;
	return kind === 'network' || status === 429 || status >= 500;
}

/** The looks of a node, without failures of long ago and without files that nobody has asked for since. */
function looksOf({ place, settings }: Work): Looks {
	const key = `${place}/${settings.attachTo === undefined ? 'look' : 'file'}`;
	const looks = places.get(key) ?? { underWay: new Map(), triedAt: new Map() };
	if (!places.has(key) && places.size >= MAX_PLACES) {
		const [oldest = ''] = places.keys();
		places.delete(oldest);
	}
	places.set(key, looks);
	if (looks.triedAt.size > MAX_UNITS) looks.triedAt.clear();
	for (const [address, look] of looks.underWay) if (isStale(look)) looks.underWay.delete(address);
	return looks;
}

function isStale({ result }: Look): boolean {
	if (!result) return false;
	const isFound = 'outcome' in result && result.outcome.ok;
	return Date.now() - result.at > (isFound ? KEPT_MS : FRESH_MS);
}
