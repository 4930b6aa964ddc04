import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { cdrRecording } from '../../records/cdr';
import { simplifyCdr } from '../../records/output';
import { mapInOrder } from '../../values/mapInOrder';
import { storeFile } from '../../transport/storeFile';
import type { Cursor } from './cursor';
import type { Poll, Settings } from './settings';
import { present } from '../../fields/output';
import type { Unit } from './units';
import { ageOf, pendingOf } from './units';

/** How many files a poll fetches at once. */
const AT_ONCE = 4;

/** How items are made. */
export interface Making {
	/** How many at most. */
	room: number;
	/** Unix milliseconds. */
	now: number;
	pending: Cursor['pending'];
	/** Gives the items of recordings also without the file. */
	isLastTry?: boolean;
}

/**
 * Looks for recordings, four at once, as long as the poll begins something new; the first four in any case. Those that were
 * looked for longest ago come first. What breaks off is tried again by the next poll.
 *
 * @returns the items in the order of the units, and the units that were looked for
 */
export async function recordingItems(
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
	{ records }: Unit,
	isLastTry: boolean,
): Promise<INodeExecutionData | undefined> {
	const { attachTo } = settings;
	const record = records[0]?.record ?? {};
	const { address = '', file = '' } = cdrRecording(record) ?? {};
	const request = { address, waitMs: 0 };
	const fetched =
		attachTo === undefined
			? await pbx.fetchFile(request, async () => ({ value: undefined }))
			: await pbx.fetchFile(request, storeFile(context, file));
	if (fetched.ok)
		return { json: shownAs(record, settings, {}), ...attachment(attachTo, fetched.value) };
	const { kind, message } = fetched.failure;
	// A host that may not get the token never gives the file.
	if (!isLastTry && kind !== 'refused') return undefined;
	return { json: shownAs(record, settings, { recordingProblem: message }) };
}

function shownAs(record: IDataObject, settings: Settings, problem: IDataObject): IDataObject {
	const { simplify, filters } = settings;
	const shown = simplify ? present(simplifyCdr(record, filters.countVoicemail), settings) : record;
	return { ...shown, ...problem, recordingReady: !('recordingProblem' in problem) };
}

function attachment(field: string | undefined, file: IBinaryData | undefined) {
	return field === undefined || file === undefined ? {} : { binary: { [field]: file } };
}
