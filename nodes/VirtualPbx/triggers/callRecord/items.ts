import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { present } from '../../fields/output';
import type { CdrRecording } from '../../records/cdr';
import { cdrRecording, cdrText } from '../../records/cdr';
import { passes, simplifyCall, simplifyCdr } from '../../records/output';
import { storeFile } from '../../transport/download';
import { mapInOrder } from '../../values/mapInOrder';
import type { Cursor } from './cursor';
import type { Poll, Settings } from './settings';
import type { Completeness, Unit } from './units';
import { ageOf, completenessOf, pendingOf } from './units';

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

/** Makes the items of the units that are complete and wanted, the oldest first. What has no room stays open. */
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

/** Whether a unit is given now, later, or never. */
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
	if (completeness !== 'complete') return completeness;
	return passes(unit.legs, filters) ? 'due' : 'unwanted';
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
	if (kind === 'newCallRecord') return { json: recordOf(record, settings) };
	if (simplify)
		return { json: { ...present(simplifyCall(legs, filters.countVoicemail), settings), ...late } };
	return { json: { callId: cdrText(record, 'BRIDGE_ID') ?? null, legs, ...late } };
}

/** How many files a poll fetches at once. */
const AT_ONCE = 4;

/** How items are made. */
interface Making {
	/** How many at most. */
	room: number;
	/** Unix milliseconds. */
	now: number;
	pending: Cursor['pending'];
	/** Gives the items of recordings also without the file. */
	isLastTry?: boolean;
}

/** Looks for recordings while the poll may begin something new, four at once; those looked for longest ago come first. */
async function recordingItems(
	poll: Poll,
	units: readonly Unit[],
	{ room, now, pending, isLastTry = false }: Making,
): Promise<{ items: Map<Unit, INodeExecutionData>; tried: Set<Unit> }> {
	const { giveUpMs, overlapMs } = poll.settings;
	const triedAt = ({ id }: Unit) => pending[id]?.triedAt ?? 0;
	const queue = [...units].sort((a, b) => triedAt(a) - triedAt(b));
	const found = new Map<Unit, INodeExecutionData>();
	const tried = new Set<Unit>();
	let taken = 0;
	await mapInOrder(queue.length, AT_ONCE, async (index) => {
		const unit = queue[index];
		const isOver = tried.size >= AT_ONCE && Date.now() >= poll.endsAt;
		if (!unit || taken >= room || isOver) return;
		tried.add(unit);
		taken++;
		const { since } = pendingOf(unit, pending, now);
		const waited = Math.max(now - since, ageOf(unit, now, overlapMs));
		const item = await recordingItem(poll, unit, isLastTry || waited >= giveUpMs);
		if (item) found.set(unit, item);
		else taken--;
	});
	const inOrder = [...found].sort(([a], [b]) => units.indexOf(a) - units.indexOf(b));
	return { items: new Map(inOrder), tried };
}

/** The item of a recording; undefined while its file is waited for. */
async function recordingItem(
	{ context, pbx, settings }: Poll,
	unit: Unit,
	isLastTry: boolean,
): Promise<INodeExecutionData | undefined> {
	const { attachTo } = settings;
	const { address = '', file = '' } = recordingOf(unit) ?? {};
	const request = { address, waitMs: 0 };
	const fetched =
		attachTo === undefined
			? await pbx.fetchFile(request, async () => ({ value: undefined }))
			: await pbx.fetchFile(request, storeFile(context, file));
	const shown = recordedCall(unit, settings);
	if (fetched.ok) {
		const binary = attachTo && fetched.value ? { binary: { [attachTo]: fetched.value } } : {};
		return { json: { ...shown, recordingReady: true }, ...binary };
	}
	const { kind, message } = fetched.failure;
	// A host that may not get the token never gives the file.
	if (!isLastTry && kind !== 'refused') return undefined;
	return { json: { ...shown, recordingProblem: message, recordingReady: false } };
}

function recordingOf({ records }: Unit): CdrRecording | undefined {
	return cdrRecording(records[0]?.record ?? {});
}

/** What an item shows of a recording: its call, and where it is. */
function recordedCall(unit: Unit, settings: Settings): IDataObject {
	const { simplify, filters } = settings;
	if (!simplify) return unit.records[0]?.record ?? {};
	const call = simplifyCall(unit.legs, filters.countVoicemail);
	const { address: recordingUrl, file: recordingFile } = recordingOf(unit) ?? {};
	const details = { ...(call.details as IDataObject), recordingFile };
	return present({ ...call, recordingUrl, details }, settings);
}

/** What an item shows of a call record. */
function recordOf(record: IDataObject, settings: Settings): IDataObject {
	const { simplify, filters } = settings;
	return simplify ? present(simplifyCdr(record, filters.countVoicemail), settings) : record;
}
