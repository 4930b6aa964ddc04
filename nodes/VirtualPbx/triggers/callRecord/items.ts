import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { callPasses, rawCall, recordPasses, simplifyCall, simplifyCdr } from '../../calls/record';
import { storeFile } from '../../parameters/storeFile';
import { Cdr } from '../../pbx/cdrs/cdr';
import { PbxError } from '../../pbx/errors/pbxError';
import { mapInOrder } from '../../util/async';
import { formatNumbers } from '../../util/phone';
import type { Candidate } from './candidates';
import { waitOf } from './candidates';
import type { Progress } from './progress';
import type { Check, Settings } from './settings';

/** A candidate's item, and the customer whose calls are processed one at a time. */
export interface Made {
	item: INodeExecutionData;
	customer: string | undefined;
}

/** Returns whether a candidate passes the filters, judged by what its item shows. */
export function isWanted({ legs, shown }: Candidate, { kind, filters }: Settings): boolean {
	if (kind !== 'newCallRecord') return callPasses(legs, filters, shown);
	return legs.every((record) => recordPasses(record, filters));
}

/** How many files are downloaded in parallel. */
const AT_ONCE = 4;

/**
 * Creates the items of candidates, in their order. Looks for recordings while the check may, the least recently tried
 * first, and leaves out those that aren't available yet. `isLastTry` returns them without the file.
 */
export async function createItems(
	check: Check,
	candidates: readonly Candidate[],
	progress: Pick<Progress, 'newest' | 'pending'>,
	isLastTry = false,
): Promise<Map<Candidate, Made>> {
	const { settings, endsAt } = check;
	if (settings.kind !== 'recordingReady')
		return new Map(candidates.map((candidate) => [candidate, itemOf(candidate, settings)]));
	const { pending } = progress;
	const triedAt = ({ id }: Candidate) => pending.get(id)?.triedAt ?? 0;
	const queue = [...candidates].sort((a, b) => triedAt(a) - triedAt(b));
	const found = new Map<Candidate, Made>();
	let tried = 0;
	await mapInOrder(queue, AT_ONCE, async (candidate) => {
		if (tried++ >= AT_ONCE && Date.now() >= endsAt) return;
		const { waitedMs } = waitOf(candidate, progress, settings.lookBackMs);
		const waiting = pending.get(candidate.id);
		if (waiting) waiting.triedAt = performance.now();
		const item = await recordingItem(check, candidate, isLastTry || waitedMs >= settings.waitMs);
		if (item) found.set(candidate, item);
	});
	return new Map(
		candidates.flatMap((candidate) => {
			const made = found.get(candidate);
			return made ? [[candidate, made] as const] : [];
		}),
	);
}

/** Builds the item of a call or call record. */
function itemOf({ legs, isLate, shown: others }: Candidate, settings: Settings): Made {
	const { kind, simplify, country } = settings;
	const [record = new Cdr({})] = legs;
	const isRecord = kind === 'newCallRecord';
	const simple = isRecord
		? simplifyCdr(record, settings)
		: simplifyCall(legs, { ...settings, shown: others });
	const shown = formatNumbers(simple, country);
	const raw = isRecord ? record.original : rawCall({ callId: record.bridgeId, legs });
	const late: IDataObject = isLate ? { late: true } : {};
	return { item: { json: { ...(simplify ? shown : raw), ...late } }, customer: customerIn(shown) };
}

function customerIn({ customerNumber }: IDataObject): string | undefined {
	return typeof customerNumber === 'string' ? customerNumber : undefined;
}

/**
 * Errors after which the next poll doesn't try again: the host never gets the token, or the file is too large or can't
 * be stored, so that another download would only take time and space.
 */
const FINAL = new Set(['unsent', 'storage', 'endless']);

/** Builds the item of a recording; undefined while its file isn't available. */
async function recordingItem(
	{ context, pbx, settings }: Check,
	candidate: Candidate,
	isLastTry: boolean,
): Promise<Made | undefined> {
	const { attachTo } = settings;
	const { address = '', file = '' } = candidate.recording ?? {};
	const request = { address, waitMs: 0 };
	const shown = recordedCall(candidate, settings);
	const customer = customerIn(shown);
	const json = settings.simplify ? shown : (candidate.records[0]?.record.original ?? {});
	const fetching =
		attachTo === undefined
			? pbx.recordings.download(request, async () => ({}))
			: pbx.recordings.download(request, async (opened) => ({
					binary: { [attachTo]: await storeFile(context, file)(opened) },
				}));
	return await fetching.then(
		(binary) => ({ item: { json: { ...json, recordingReady: true }, ...binary }, customer }),
		(error: unknown) => {
			if (!(error instanceof PbxError)) throw error;
			if (!isLastTry && !FINAL.has(error.kind)) return undefined;
			const problem = { recordingProblem: error.message, recordingReady: false };
			return { item: { json: { ...json, ...problem } }, customer };
		},
	);
}

/** Returns what an item shows of a recording: its call, and its location. */
function recordedCall(candidate: Candidate, settings: Settings): IDataObject {
	const { country, includeDetails } = settings;
	const { address: recordingUrl, file: recordingFile } = candidate.recording ?? {};
	const { details, ...top } = simplifyCall(candidate.legs, {
		...settings,
		shown: candidate.shown,
	});
	const shown = includeDetails ? { details: { ...(details as IDataObject), recordingFile } } : {};
	return formatNumbers({ ...top, recordingUrl, ...shown }, country);
}
