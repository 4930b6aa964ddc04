import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { passes, recordPasses, simplifyCall, simplifyCdr } from '../../calls/recordItem';
import { present } from '../../parameters/output';
import { cdrText } from '../../pbx/cdrs/cdrFields';
import { storeFile } from '../../parameters/storeFile';
import { PbxError } from '../../pbx/errors/pbxError';
import { mapInOrder } from '../../util/mapInOrder';
import type { Completeness, Candidate } from './candidates';
import { ageOf, completenessOf, pendingOf } from './candidates';
import type { Cursor } from './cursor';
import type { PollContext, Settings } from './settings';

/** The items of a window, and what became of its candidates. */
export interface Emitted {
	items: INodeExecutionData[];
	/** Candidates that are emitted, or that nobody wants. */
	done: Set<Candidate>;
	/** Units whose recording was looked for. */
	tried: Set<Candidate>;
	/** Calls lack nothing but time without a change. */
	isSettling: boolean;
}

/** Makes the items of the candidates that are complete and wanted, the oldest first. What has no room stays open. */
export async function emit(
	poll: PollContext,
	candidates: readonly Candidate[],
	{ cursor, room, ...time }: { cursor: Cursor; room: number } & Time,
): Promise<Emitted> {
	const decisions = new Map(
		candidates.map((candidate) => [candidate, decide(candidate, cursor, time, poll.settings)]),
	);
	const decidedAs = (decision: Decision) =>
		candidates.filter((candidate) => decisions.get(candidate) === decision);
	const making = { room, ...time, pending: cursor.pending };
	const { items, tried } = await itemsOf(poll, decidedAs('due'), making);
	return {
		items: [...items.values()],
		done: new Set([...decidedAs('unwanted'), ...items.keys()]),
		tried,
		isSettling: decidedAs('settling').length > 0,
	};
}

type Decision = 'due' | 'unwanted' | Completeness;

/** Whether a candidate is emitted now, later, or never. */
function decide(
	candidate: Candidate,
	{ pending, profile = {} }: Cursor,
	{ now, passedMs }: Time,
	settings: Settings,
): Decision {
	const { kind, overlapMs } = settings;
	if (kind === 'newCallRecord') return isWanted(candidate, settings) ? 'due' : 'unwanted';
	const waited = pendingOf(candidate, pending, passedMs);
	const completeness = completenessOf(candidate, waited, profile, { now, overlapMs });
	if (completeness !== 'complete') return completeness;
	return isWanted(candidate, settings) ? 'due' : 'unwanted';
}

/** Tells whether a candidate passes the filters, by what its item shows. */
export function isWanted({ legs }: Candidate, { kind, filters }: Settings): boolean {
	if (kind !== 'newCallRecord') return passes(legs, filters);
	return legs.every((record) => recordPasses(record, filters));
}

/** Makes the items of candidates, in their order; none for what has no room, and for a recording that is waited for. */
export async function itemsOf(
	poll: PollContext,
	candidates: readonly Candidate[],
	making: Making,
): Promise<{ items: Map<Candidate, INodeExecutionData>; tried: Set<Candidate> }> {
	const { settings } = poll;
	if (settings.kind === 'recordingReady') return await recordingItems(poll, candidates, making);
	const items = candidates
		.slice(0, making.room)
		.map((candidate) => [candidate, itemOf(candidate, settings)] as const);
	return { items: new Map(items), tried: new Set() };
}

/** The item of a call or of a call record. */
function itemOf({ legs, isLate }: Candidate, settings: Settings): INodeExecutionData {
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

/** The time of a reading. */
interface Time {
	/** The PBX's, in Unix milliseconds. */
	now: number;
	/** The milliseconds since the last reading. */
	passedMs: number;
}

/** How items are made. */
interface Making extends Time {
	/** How many at most. */
	room: number;
	pending: Cursor['pending'];
	/** Gives the items of recordings also without the file. */
	isLastTry?: boolean;
}

/** Looks for recordings while the poll may begin something new, four at once; those looked for longest ago come first. */
async function recordingItems(
	poll: PollContext,
	candidates: readonly Candidate[],
	{ room, now, passedMs, pending, isLastTry = false }: Making,
): Promise<{ items: Map<Candidate, INodeExecutionData>; tried: Set<Candidate> }> {
	const { giveUpMs, overlapMs } = poll.settings;
	const triedAt = ({ id }: Candidate) => pending[id]?.triedAt ?? 0;
	const queue = [...candidates].sort((a, b) => triedAt(a) - triedAt(b));
	const found = new Map<Candidate, INodeExecutionData>();
	const tried = new Set<Candidate>();
	let taken = 0;
	await mapInOrder(queue.length, AT_ONCE, async (index) => {
		const candidate = queue[index];
		const isOver = tried.size >= AT_ONCE && Date.now() >= poll.endsAt;
		if (!candidate || taken >= room || isOver) return;
		tried.add(candidate);
		taken++;
		const { waitedMs } = pendingOf(candidate, pending, passedMs);
		const waited = Math.max(waitedMs, ageOf(candidate, now, overlapMs));
		const item = await recordingItem(poll, candidate, isLastTry || waited >= giveUpMs);
		if (item) found.set(candidate, item);
		else taken--;
	});
	const inOrder = [...found].sort(([a], [b]) => candidates.indexOf(a) - candidates.indexOf(b));
	return { items: new Map(inOrder), tried };
}

/** The item of a recording; undefined while its file is waited for. */
async function recordingItem(
	{ context, pbx, settings }: PollContext,
	candidate: Candidate,
	isLastTry: boolean,
): Promise<INodeExecutionData | undefined> {
	const { attachTo } = settings;
	const { address = '', file = '' } = candidate.recording ?? {};
	const request = { address, waitMs: 0 };
	const shown = recordedCall(candidate, settings);
	const fetching =
		attachTo === undefined
			? pbx.fetchFile(request, async () => ({}))
			: pbx.fetchFile(request, async (opened) => ({
					binary: { [attachTo]: await storeFile(context, file)(opened) },
				}));
	return await fetching.then(
		(binary) => ({ json: { ...shown, recordingReady: true }, ...binary }),
		(error: unknown) => {
			if (!(error instanceof PbxError)) throw error;
			// A host that may not get the token never gives the file.
			if (!isLastTry && error.kind !== 'refused') return undefined;
			return { json: { ...shown, recordingProblem: error.message, recordingReady: false } };
		},
	);
}

/** What an item shows of a recording: its call, and where it is. */
function recordedCall(candidate: Candidate, settings: Settings): IDataObject {
	const { simplify, filters } = settings;
	if (!simplify) return candidate.records[0]?.record ?? {};
	const call = simplifyCall(candidate.legs, filters.countVoicemail);
	const { address: recordingUrl, file: recordingFile } = candidate.recording ?? {};
	const details = { ...(call.details as IDataObject), recordingFile };
	return present({ ...call, recordingUrl, details }, settings);
}

/** What an item shows of a call record. */
function recordOf(record: IDataObject, settings: Settings): IDataObject {
	const { simplify, filters } = settings;
	return simplify ? present(simplifyCdr(record, filters.countVoicemail), settings) : record;
}
