import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { callPasses, rawCall, recordPasses, simplifyCall, simplifyCdr } from '../../calls/record';
import { Cdr } from '../../pbx/cdrs/cdr';
import { storeFile } from '../../parameters/storeFile';
import { PbxError } from '../../pbx/errors/pbxError';
import { formatNumbers } from '../../util/phone/forms';
import { mapInOrder } from '../../util/mapInOrder';
import type { Completeness, Candidate } from './candidates';
import { ageOf, completenessOf, pendingOf } from './candidates';
import type { Cursor, PollTime } from './cursor';
import type { PollContext, Settings } from './settings';

/** The items of a window, and the outcome of its candidates. */
export interface Emitted {
	items: INodeExecutionData[];
	/** Candidates that were emitted, or that never will be. */
	done: Set<Candidate>;
	/** Candidates whose recording the poll looked for. */
	tried: Set<Candidate>;
	/** Whether calls need only time without a change. */
	isSettling: boolean;
}

/** Creates the items of complete candidates that pass the filters, oldest first. Those beyond the limit stay open. */
export async function emit(
	poll: PollContext,
	candidates: readonly Candidate[],
	{ cursor, room, ...time }: { cursor: Cursor; room: number } & PollTime,
): Promise<Emitted> {
	const decisions = new Map(
		candidates.map((candidate) => [candidate, decide(candidate, cursor, time, poll.settings)]),
	);
	const decidedAs = (decision: Decision) =>
		candidates.filter((candidate) => decisions.get(candidate) === decision);
	const making = { room, ...time, pending: cursor.pending };
	const { items, tried } = await createItems(poll, decidedAs('due'), making);
	return {
		items: [...items.values()],
		done: new Set([...decidedAs('unwanted'), ...items.keys()]),
		tried,
		isSettling: decidedAs('settling').length > 0,
	};
}

type Decision = 'due' | 'unwanted' | Completeness;

/** Decides whether a candidate is emitted now, later, or never. */
function decide(
	candidate: Candidate,
	{ pending, profile = {} }: Cursor,
	{ now, passedMs }: PollTime,
	settings: Settings,
): Decision {
	const { kind, overlapMs } = settings;
	if (kind === 'newCallRecord') return isWanted(candidate, settings) ? 'due' : 'unwanted';
	const waited = pendingOf(candidate, pending, passedMs);
	const completeness = completenessOf(candidate, waited, profile, { now, overlapMs });
	if (completeness !== 'complete') return completeness;
	return isWanted(candidate, settings) ? 'due' : 'unwanted';
}

/** Returns whether a candidate passes the filters, judged by what its item shows. */
export function isWanted({ legs }: Candidate, { kind, filters }: Settings): boolean {
	if (kind !== 'newCallRecord') return callPasses(legs, filters);
	return legs.every((record) => recordPasses(record, filters));
}

/**
 * Creates the items of candidates, in order. Skips those beyond the limit, and recordings that aren't available yet.
 */
export async function createItems(
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

/** Builds the item of a call or call record. */
function itemOf({ legs, isLate }: Candidate, settings: Settings): INodeExecutionData {
	const { kind, simplify, country } = settings;
	const [record = new Cdr({})] = legs;
	const late: IDataObject = isLate ? { late: true } : {};
	if (kind === 'newCallRecord')
		return {
			json: simplify ? formatNumbers(simplifyCdr(record, settings), country) : record.original,
		};
	if (simplify)
		return { json: { ...formatNumbers(simplifyCall(legs, settings), country), ...late } };
	return { json: { ...rawCall({ callId: record.bridgeId, legs }), ...late } };
}

/** The number of files that a poll downloads in parallel. */
const AT_ONCE = 4;

/** How to create items. */
interface Making extends PollTime {
	/** How many items at most. */
	room: number;
	pending: Cursor['pending'];
	/** Emits recordings even without the file. */
	isLastTry?: boolean;
}

/** Looks for recordings while the poll may start new work, four in parallel, the least recently tried ones first. */
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
	await mapInOrder(queue, AT_ONCE, async (candidate) => {
		const isOver = tried.size >= AT_ONCE && Date.now() >= poll.endsAt;
		if (taken >= room || isOver) return;
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

/** Builds the item of a recording; undefined while its file isn't available. */
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
			? pbx.recordings.download(request, async () => ({}))
			: pbx.recordings.download(request, async (opened) => ({
					binary: { [attachTo]: await storeFile(context, file)(opened) },
				}));
	return await fetching.then(
		(binary) => ({ json: { ...shown, recordingReady: true }, ...binary }),
		(error: unknown) => {
			if (!(error instanceof PbxError)) throw error;
			// A host that isn't allowed to get the token never provides the file.
			if (!isLastTry && error.kind !== 'unsent') return undefined;
			return { json: { ...shown, recordingProblem: error.message, recordingReady: false } };
		},
	);
}

/** Returns what an item shows of a recording: its call, and its location. */
function recordedCall(candidate: Candidate, settings: Settings): IDataObject {
	const { simplify, country, includeDetails } = settings;
	if (!simplify) return candidate.records[0]?.record.original ?? {};
	const { address: recordingUrl, file: recordingFile } = candidate.recording ?? {};
	const { details, ...top } = simplifyCall(candidate.legs, settings);
	const shown = includeDetails ? { details: { ...(details as IDataObject), recordingFile } } : {};
	return formatNumbers({ ...top, recordingUrl, ...shown }, country);
}
