import type { IBinaryData, IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isComplete, waitingOf } from '../../records/advance';
import { summarizeCall } from '../../records/call';
import { passes } from '../../records/callFilter';
import type { Progress } from '../../records/progress';
import type { Unit } from '../../records/units';
import type { FileOutcome } from '../../transport/download';
import type { Failure } from '../../transport/failure';
import type { Pbx } from '../../transport/pbx';
import { storeFile } from '../../transport/storeFile';
import { cdrRecording, cdrText, simplifyCdr } from '../../values/cdr';
import type { Settings } from './settings';

/** What a poll works with. */
export interface Work {
	context: IPollFunctions;
	pbx: Pbx;
	settings: Settings;
	/** Waits so many milliseconds. */
	wait: (milliseconds: number) => Promise<void>;
}

/** The items of a poll, and the units that need no further look: told, or not wanted. */
export interface Told {
	items: INodeExecutionData[];
	done: Set<Unit>;
}

/** How long to go on looking for recordings when a look has failed for another reason than that the file is missing. */
const TROUBLED_MS = 60_000;

/**
 * Tells about the units whose time has come, oldest first.
 *
 * @param now Unix milliseconds
 * @param room how many items at most; further units stay open
 */
export async function tellUnits(
	work: Work,
	units: readonly Unit[],
	progress: Progress,
	{ now, room }: { now: number; room: number },
): Promise<Told> {
	const { settings } = work;
	const told: Told = { items: [], done: new Set() };
	const began = Date.now();
	let isTroubled = false;
	for (const unit of units) {
		if (told.items.length >= room) break;
		const verdict = judge(unit, progress, now, settings);
		if (verdict === 'unwanted') told.done.add(unit);
		if (verdict !== 'due') continue;
		if (settings.kind !== 'recording') {
			told.items.push(itemOf(unit, settings));
			told.done.add(unit);
			continue;
		}
		if (isTroubled && Date.now() - began > TROUBLED_MS) continue;
		const isLastTry = isOverdue(work, unit, progress, now);
		const result = await tellRecording(work, unit, { isLastTry, isOnce: isTroubled });
		isTroubled ||= result.isOutOfReach;
		if (!result.item) continue;
		told.items.push(result.item);
		told.done.add(unit);
	}
	return told;
}

/** Whether a unit is to be told now, later, or never; a recording is judged by its call, as far as that is known. */
function judge(
	unit: Unit,
	{ waiting }: Progress,
	now: number,
	settings: Settings,
): 'due' | 'early' | 'unwanted' {
	const isKnown = settings.kind === 'record' || isComplete(unit, waiting, now, settings);
	if (settings.kind === 'call' && !isKnown) return 'early';
	if (passes(unit.legs, settings.filters)) return 'due';
	return isKnown ? 'unwanted' : 'early';
}

/** The item of a call or of a call record. */
export function itemOf(unit: Unit, { kind, simplify }: Settings): INodeExecutionData {
	const { records, isLate } = unit;
	const record = records[0] ?? {};
	if (kind !== 'call') return { json: simplify ? simplifyCdr(record) : record };
	const call = simplify
		? summarizeCall(records)
		: { bridgeId: cdrText(record, 'BRIDGE_ID') ?? null, legs: records };
	return { json: { ...call, late: isLate } };
}

/**
 * Looks for the file of a recording, and fetches it where it is to be attached.
 *
 * @param how isLastTry gives the item also without the file; isOnce does not repeat a look that fails
 * @returns no item while the file is still to be waited for
 */
export async function tellRecording(
	work: Work,
	unit: Unit,
	{ isLastTry, isOnce }: { isLastTry: boolean; isOnce: boolean },
): Promise<{ item?: INodeExecutionData; isOutOfReach: boolean }> {
	const record = unit.records[0] ?? {};
	const { settings } = work;
	const outcome = await fetchRecording(work, record, isOnce);
	const shown: IDataObject = settings.simplify ? simplifyCdr(record) : record;
	if (outcome.ok) {
		const binary = attach(settings.attachTo, outcome.value);
		return { item: { json: { ...shown, recordingReady: true }, ...binary }, isOutOfReach: false };
	}
	const { failure } = outcome;
	const isOutOfReach = isPassing(failure);
	if (!isLastTry && failure.kind !== 'refused') return { isOutOfReach };
	const json = { ...shown, recordingReady: false, recordingProblem: failure.words };
	return { item: { json }, isOutOfReach };
}

async function fetchRecording(
	{ context, pbx, settings }: Work,
	record: IDataObject,
	isOnce: boolean,
): Promise<FileOutcome<IBinaryData | undefined>> {
	const { addresses = [], file = '' } = cdrRecording(record) ?? {};
	const request = { addresses, waitMs: 0, isOnce };
	if (settings.attachTo !== undefined)
		return await pbx.fetchFile(request, storeFile(context, file));
	return await pbx.fetchFile(request, async () => ({ value: undefined }));
}

/** The server of the recordings may be out of order, so that further looks may fail, too. */
function isPassing({ kind, status = 0 }: Failure): boolean {
	return kind === 'network' || status === 429 || status >= 500;
}

function attach(field: string | undefined, file: IBinaryData | undefined) {
	return field === undefined || file === undefined ? {} : { binary: { [field]: file } };
}

/** Waited for long enough; the record's own age counts only beyond what clocks may differ. */
function isOverdue({ settings }: Work, unit: Unit, progress: Progress, now: number): boolean {
	const [firstSeen] = waitingOf(unit, progress.waiting, now);
	const age = unit.lastTime === undefined ? 0 : now - unit.lastTime;
	return now - firstSeen >= settings.giveUpMs || age >= settings.giveUpMs + settings.overlapMs;
}
