import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Waits } from './advance';
import { isComplete, waitingOf } from './advance';
import { summarizeCall } from '../../records/summary';
import { passes } from '../../records/callFilter';
import type { Progress } from './progress';
import type { Unit } from './units';
import { cdrText, simplifyCdr } from '../../records/cdr';
import { inCountry } from '../../values/phone/country';
import type { FoundFile } from './looks';
import { lookFor } from './looks';
import type { Settings } from './settings';
import type { Work } from './work';

/** The items of a poll, and the units that need no further look: told, or not wanted. */
export interface Told {
	items: INodeExecutionData[];
	done: Set<Unit>;
}

/**
 * Tells about the units whose time has come, oldest first.
 *
 * @param now Unix milliseconds
 * @param room how many items at most; further units stay open
 * @param patience how long to wait for what may still be added
 */
export async function tellUnits(
	work: Work,
	units: readonly Unit[],
	progress: Progress,
	{ now, room, patience }: { now: number; room: number; patience: Waits },
): Promise<Told> {
	const { settings } = work;
	const verdicts = units.map((unit) => judge(unit, progress, now, { ...settings, ...patience }));
	const due = units.filter((_, index) => verdicts[index] === 'due');
	const unwanted = units.filter((_, index) => verdicts[index] === 'unwanted');
	const isOver = (unit: Unit) => isOverdue(work, unit, progress, now);
	const given = await itemsOfUnits(work, due, room, isOver);
	return { items: [...given.values()], done: new Set([...unwanted, ...given.keys()]) };
}

/**
 * The items of units, in their order.
 *
 * @param isLastTry gives the item of a recording also without the file
 * @returns no item for a recording that is still to be waited for, and for what has no room
 */
export async function itemsOfUnits(
	work: Work,
	units: readonly Unit[],
	room: number,
	isLastTry: (unit: Unit) => boolean,
): Promise<Map<Unit, INodeExecutionData>> {
	const { settings } = work;
	if (settings.kind !== 'recording') {
		return new Map(units.slice(0, room).map((unit) => [unit, itemOf(unit, settings)]));
	}
	const found = new Map<Unit, INodeExecutionData>();
	const take = (unit: Unit, outcome: FoundFile) => {
		const item = recordingItem(work, unit, outcome, isLastTry(unit));
		if (item) found.set(unit, item);
		return item !== undefined;
	};
	await lookFor(work, units, take, room);
	return new Map(
		units.flatMap((unit) => {
			const item = found.get(unit);
			return item ? [[unit, item] as const] : [];
		}),
	);
}

/** Whether a unit is to be told now, later, or never; a recording is judged by its call, as far as that is known. */
function judge(
	unit: Unit,
	{ waiting }: Progress,
	now: number,
	settings: Omit<Settings, 'firstLegMs'> & Waits,
): 'due' | 'early' | 'unwanted' {
	const isKnown = settings.kind === 'record' || isComplete(unit, waiting, now, settings);
	if (settings.kind === 'call' && !isKnown) return 'early';
	if (passes(unit.legs, settings.filters)) return 'due';
	return isKnown ? 'unwanted' : 'early';
}

/** The item of a call or of a call record. */
function itemOf(unit: Unit, { kind, simplify, country }: Settings): INodeExecutionData {
	const { records, isLate } = unit;
	const record = records[0] ?? {};
	if (kind !== 'call') return { json: simplify ? inCountry(simplifyCdr(record), country) : record };
	if (simplify) {
		const call = inCountry(summarizeCall(records), country);
		return { json: isLate ? withDetails(call, { late: true }) : call };
	}
	const bridgeId = cdrText(record, 'BRIDGE_ID') ?? null;
	return { json: { bridgeId, legs: records, ...(isLate && { late: true }) } };
}

/** Adds to the details of a simplified item. */
function withDetails(item: IDataObject, more: IDataObject): IDataObject {
	return { ...item, details: { ...(item.details as IDataObject), ...more } };
}

/** The item of a recording; undefined while the file is still to be waited for. */
function recordingItem(
	{ settings }: Work,
	unit: Unit,
	outcome: FoundFile,
	isLastTry: boolean,
): INodeExecutionData | undefined {
	const record = unit.records[0] ?? {};
	const json = (more: IDataObject) => {
		const shown = settings.simplify
			? withDetails(inCountry(simplifyCdr(record), settings.country), more)
			: { ...record, ...more };
		return { ...shown, recordingReady: outcome.ok };
	};
	if (outcome.ok) return { json: json({}), ...attach(settings.attachTo, outcome.value) };
	const { failure } = outcome;
	if (!isLastTry && failure.kind !== 'refused') return undefined;
	return { json: json({ recordingProblem: failure.words }) };
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
