import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { cdrText } from '../../records/cdr';
import { passes, simplifyCall, simplifyCdr } from '../../records/output';
import type { Cursor } from './cursor';
import type { Making } from './recordings';
import { recordingItems } from './recordings';
import type { Poll, Settings } from './settings';
import { present } from '../../fields/output';
import type { Completeness, Unit } from './units';
import { completenessOf, pendingOf } from './units';

/** The items of a window, and what became of its units. */
export interface Given {
	items: INodeExecutionData[];
	/** Units that are given, or that nobody wants. */
	done: Set<Unit>;
	/** Units whose recording was looked for. */
	tried: Set<Unit>;
	/** Calls lack nothing but time without a change. */
	isSettling: boolean;
}

/**
 * Makes the items of the units that are complete and wanted, the oldest first.
 *
 * @param now Unix milliseconds
 * @param room how many items at most; further units stay open
 */
export async function giveItems(
	poll: Poll,
	units: readonly Unit[],
	{ cursor, now, room }: { cursor: Cursor; now: number; room: number },
): Promise<Given> {
	const verdicts = new Map(units.map((unit) => [unit, judge(unit, cursor, now, poll.settings)]));
	const withVerdict = (verdict: Verdict) => units.filter((unit) => verdicts.get(unit) === verdict);
	const making = { room, now, pending: cursor.pending };
	const { items, tried } = await itemsOf(poll, withVerdict('due'), making);
	return {
		items: [...items.values()],
		done: new Set([...withVerdict('unwanted'), ...items.keys()]),
		tried,
		isSettling: withVerdict('settling').length > 0,
	};
}

type Verdict = 'due' | 'unwanted' | Completeness;

/** Whether a unit is given now, later, or never. A recording need not wait for its call, but is judged by it. */
function judge(
	unit: Unit,
	{ pending, profile = {} }: Cursor,
	now: number,
	{ kind, filters, overlapMs }: Settings,
): Verdict {
	const waited = pendingOf(unit, pending, now);
	const completeness =
		kind === 'newCallRecord'
			? 'complete'
			: completenessOf(unit, waited, profile, { now, overlapMs });
	if (kind === 'newCall' && completeness !== 'complete') return completeness;
	if (passes(unit.legs, filters)) return 'due';
	return completeness === 'complete' ? 'unwanted' : 'waiting';
}

/** Makes the items of units, in their order; none for what has no room, and for a recording that is waited for. */
export async function itemsOf(
	poll: Poll,
	units: readonly Unit[],
	making: Making,
): Promise<{ items: Map<Unit, INodeExecutionData>; tried: Set<Unit> }> {
	const { settings } = poll;
	if (settings.kind === 'recordingReady') return await recordingItems(poll, units, making);
	const items = units.slice(0, making.room).map((unit) => [unit, itemOf(unit, settings)] as const);
	return { items: new Map(items), tried: new Set() };
}

/** The item of a call or of a call record. */
function itemOf({ legs, isLate }: Unit, settings: Settings): INodeExecutionData {
	const { kind, simplify, filters } = settings;
	const [record = {}] = legs;
	const late: IDataObject = isLate ? { late: true } : {};
	if (kind === 'newCallRecord')
		return {
			json: simplify ? present(simplifyCdr(record, filters.countVoicemail), settings) : record,
		};
	if (simplify)
		return { json: { ...present(simplifyCall(legs, filters.countVoicemail), settings), ...late } };
	return { json: { callId: cdrText(record, 'BRIDGE_ID') ?? null, legs, ...late } };
}
