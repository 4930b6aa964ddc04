import type { INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { advance } from '../../records/advance';
import { passes } from '../../records/callFilter';
import type { Progress } from '../../records/progress';
import { beginAt } from '../../records/progress';
import type { Unit } from '../../records/units';
import { findUnits } from '../../records/units';
import type { Polled } from './catchUp';
import { catchUp, longestWait, readRange } from './catchUp';
import type { Work } from './tell';
import { itemOf, tellRecording } from './tell';

const DAY_MS = 86_400_000;
const LOOK_BACK_DAYS = [1, 7, 31];
const SAMPLES = 3;

/**
 * The first poll: takes what is there as handled and gives nothing, the last calls, or those since a date.
 *
 * @param source whose records they are, see `Progress`
 */
export async function begin(work: Work, source: string): Promise<Polled> {
	const { firstRun, overlapMs } = work.settings;
	if (firstRun.kind === 'since')
		return await catchUp(work, beginAt(source, firstRun.at, firstRun.at));
	const now = Date.now();
	if (firstRun.kind === 'last') return await beginWithLast(work, source, firstRun.count, now);

	const start = beginAt(source, now - overlapMs, now - overlapMs);
	const records = await readRange(work, now - overlapMs, now + overlapMs);
	const found = findUnits(start, records, work.settings.kind);
	return {
		items: [],
		progress: advance(start, found, new Set(found.units), windowOf(work, start, now)),
	};
}

async function beginWithLast(
	work: Work,
	source: string,
	count: number,
	now: number,
): Promise<Polled> {
	const { start, found, chosen } = await lookBack(work, source, count, now);
	const done = new Set(found.units);
	const items: INodeExecutionData[] = [];
	for (const unit of chosen) {
		const item = await firstItem(work, unit);
		if (item) items.push(item);
		else done.delete(unit);
	}
	return { items, progress: advance(start, found, done, windowOf(work, start, now)) };
}

/**
 * Gives recent calls for "Fetch Test Event", without any progress.
 *
 * @throws NodeOperationError when there are none
 */
export async function sample(work: Work): Promise<INodeExecutionData[]> {
	const { chosen } = await lookBack(work, '', SAMPLES, Date.now());
	if (work.settings.kind === 'recording') {
		const items: INodeExecutionData[] = [];
		for (const unit of chosen) {
			const { item } = await tellRecording(work, unit, { isLastTry: true, isOnce: false });
			if (item) items.push(item);
		}
		if (items.length > 0) return items;
	} else if (chosen.length > 0) {
		return chosen.map((unit) => itemOf(unit, work.settings));
	}
	const what = { call: 'calls', record: 'call records', recording: 'recordings' }[
		work.settings.kind
	];
	throw new NodeOperationError(work.context.getNode(), `There are no ${what} to show`, {
		description: `The PBX has none of the last ${LOOK_BACK_DAYS.at(-1)} days that pass the filters. Place a test call, or change the filters.`,
	});
}

async function firstItem(work: Work, unit: Unit): Promise<INodeExecutionData | undefined> {
	if (work.settings.kind !== 'recording') return itemOf(unit, work.settings);
	return (await tellRecording(work, unit, { isLastTry: false, isOnce: false })).item;
}

/** Looks back a day, a week, a month, until there are enough. */
async function lookBack(work: Work, source: string, count: number, now: number) {
	for (const days of LOOK_BACK_DAYS) {
		const from = now - days * DAY_MS;
		const start = beginAt(source, from, from);
		const records = await readRange(work, from, now + work.settings.overlapMs);
		const found = findUnits(start, records, work.settings.kind);
		const wanted = found.units.filter((unit) => passes(unit.legs, work.settings.filters));
		const isLast = days === LOOK_BACK_DAYS.at(-1);
		if (wanted.length >= count || isLast) return { start, found, chosen: wanted.slice(-count) };
	}
	throw new NodeOperationError(work.context.getNode(), 'No range to look back over');
}

function windowOf(work: Work, { from }: Progress, now: number) {
	const { overlapMs } = work.settings;
	return { from, until: now, now, overlapMs, waitMs: longestWait(work.settings) };
}
