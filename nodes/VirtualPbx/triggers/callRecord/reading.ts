import type { INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { lacksFirstLeg } from '../../calls/record';
import type { Cdr } from '../../pbx/cdrs/cdr';
import { DAY_MS, HOUR_MS, unixToGregorian } from '../../util/time';
import type { Candidate } from './calls';
import { completenessOf, createItems, findCandidates, isWanted } from './calls';
import { CLOCK_ERROR_MS, Progress } from './progress';
import type { Check, Settings } from './parameters';

const WEEK_MS = 7 * DAY_MS;
/** How much unread time one window covers. */
export const STEP_MS = 6 * HOUR_MS;

/** Reads the CDRs of a range in Unix milliseconds (GET `cdrs`, §4.3). Throws PbxError. */
async function readRecords({ pbx }: Check, from: number, to: number): Promise<Cdr[]> {
	const query = {
		from: unixToGregorian(Math.floor(from / 1000)),
		to: unixToGregorian(Math.ceil(to / 1000)),
		windowSeconds: WEEK_MS / 1000,
	};
	return await pbx.cdrs.list(query);
}

export interface Window {
	/** Candidates that can start the workflow now, oldest first. */
	due: Candidate[];
	/** Whether calls need only time without a change. */
	isSettling: boolean;
	/** Whether it reaches up to now. */
	isLast: boolean;
	/** Whether it moved the progress on. */
	hasMoved: boolean;
}

/**
 * Reads the next window, marks what will never start the workflow as handled, and moves the progress on up to the first
 * candidate that hasn't started.
 */
export async function readWindow(
	check: Check,
	progress: Progress,
	stepMs: number,
): Promise<Window> {
	const { settings } = check;
	const { lookBackMs } = settings;
	const before = progress.newest;
	const isLast = before + stepMs >= Date.now();
	// The PBX's clock can be ahead of n8n's.
	const ahead = Math.max(Date.now(), before) + CLOCK_ERROR_MS;
	const to = isLast ? ahead : before + lookBackMs + stepMs;
	const records = await readRecords(check, progress.from, to);
	const unstarted: Candidate[] = [];
	const due: Candidate[] = [];
	let isSettling = false;
	for (const candidate of findCandidates(progress, records, settings.kind)) {
		const decision = decide(candidate, progress, settings, to - lookBackMs);
		if (decision === 'unwanted') {
			progress.markSeen(candidate.records);
			continue;
		}
		unstarted.push(candidate);
		if (decision === 'due') due.push(candidate);
		isSettling ||= decision === 'settling';
	}
	progress.advance(records, unstarted, { to, isLast, lookBackMs });
	return { due, isSettling, isLast, hasMoved: progress.newest > before };
}

/** Decides whether a candidate starts the workflow now, later, or never. */
function decide(
	candidate: Candidate,
	progress: Progress,
	settings: Settings,
	until: number,
): 'due' | 'unwanted' | 'waiting' | 'settling' {
	const { openId, lastAt } = candidate;
	if (openId !== undefined) {
		const { at = 0 } = progress.retries.get(openId) ?? {};
		return performance.now() >= at ? 'due' : 'waiting';
	}
	if (lastAt < progress.since) return 'unwanted';
	// Legs of later calls can lie beyond the window.
	if (lastAt > until) return 'waiting';
	if (settings.kind !== 'newCallRecord') {
		const completeness = completenessOf(candidate, progress, settings);
		if (completeness !== 'complete') return completeness;
	}
	return isWanted(candidate, settings) ? 'due' : 'unwanted';
}

/**
 * Creates the progress of a trigger that starts where n8n stored none: calls of the look-back time start the workflow
 * again, and n8n drops those that it knows.
 */
export function progressAfterLoss(source: string, { lookBackMs }: Settings): Progress {
	const since = Date.now() - lookBackMs;
	return new Progress(source, since, since - lookBackMs, since);
}

/**
 * Creates the progress of a new trigger, or of one for another source: starts with new calls, the latest ones, or those
 * since a date. Throws PbxError.
 */
export async function firstProgress(check: Check, source: string): Promise<Progress> {
	const { firstRun, lookBackMs } = check.settings;
	if (firstRun.kind === 'since') {
		const { at } = firstRun;
		return new Progress(source, at, at - lookBackMs, at);
	}
	const count = firstRun.kind === 'last' ? firstRun.count : 0;
	const { records, old, recent, underWay } = await lookBack(check, count);
	const since = recent[0]?.lastAt;
	const newest = since ?? Date.now() - CLOCK_ERROR_MS;
	const progress = new Progress(source, newest, newest - lookBackMs, since);
	const starts = new Set(recent);
	for (const candidate of old) if (!starts.has(candidate)) progress.markSeen(candidate.records);
	if (since === undefined)
		progress.advance(records, underWay, { to: Date.now(), isLast: false, lookBackMs });
	return progress;
}

/** How many days to look back for recent calls, going further if there aren't enough. */
const LOOK_BACK = [2, 7, 31];
const MAX_SAMPLES = 3;

/** Returns recent calls for a test run. Throws NodeOperationError if there are none. */
export async function recentItems(check: Check): Promise<INodeExecutionData[]> {
	const { recent } = await lookBack(check, MAX_SAMPLES);
	const nothing = { newest: 0, pending: new Map() };
	const items = [...(await createItems(check, recent, nothing, true)).values()];
	if (items.length > 0) return items.map(({ item }) => item);

	const what = { newCall: 'calls', newCallRecord: 'call records', recordingReady: 'recordings' };
	const message = `There are no ${what[check.settings.kind]} to show`;
	throw new NodeOperationError(check.context.getNode(), message, {
		description: `The PBX has none from the last ${LOOK_BACK.at(-1)} days that match the filters. Place a test call, or change the filters.`,
	});
}

/** The records of a range up to now, its calls that are over, the latest of these, and calls that might go on. */
interface LookedBack {
	records: Cdr[];
	old: Candidate[];
	recent: Candidate[];
	underWay: Candidate[];
}

/** Looks back for a number of candidates, going further if there aren't enough. */
async function lookBack(
	check: Check,
	count: number,
	[days = 2, ...further] = count === 0 ? [] : LOOK_BACK,
): Promise<LookedBack> {
	const { settings } = check;
	const { kind, lookBackMs, hasOnlyPhoneLegs } = settings;
	const now = Date.now();
	const from = now - Math.max(days * DAY_MS, CLOCK_ERROR_MS) - lookBackMs;
	const records = await readRecords(check, from, now + CLOCK_ERROR_MS);
	const isUnderWay = ({ legs, lastAt }: Candidate) =>
		kind === 'newCall' && !hasOnlyPhoneLegs && now - lastAt < lookBackMs && lacksFirstLeg(legs);
	const nothing = { seen: {}, open: {}, reopened: new Map() };
	const found = findCandidates(nothing, records, kind);
	const underWay = found.filter(isUnderWay);
	const old = found.filter((candidate) => !underWay.includes(candidate));
	const wanted = old.filter((candidate) => isWanted(candidate, settings));
	if (wanted.length < count && further.length > 0) return await lookBack(check, count, further);
	return { records, old, underWay, recent: count === 0 ? [] : wanted.slice(-count) };
}
