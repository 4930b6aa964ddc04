import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { toNodeError } from '../../parameters/nodeError';
import { CREDENTIAL, openPbx } from '../../parameters/credential';
import {
	inPublication,
	isTransientError,
	recordPolled,
	sentence,
	whoWaits,
} from '../runtime/publishing';
import { pollIntervalMs, updateState } from './recordTriggerState';
import type { RecordTriggerState } from './recordTriggerState';
import { cursorAt, isOvertaken, loadCursor, saveCursor, setBackMs } from './cursor';
import type { Cursor } from './cursor';
import type { PollContext } from './settings';
import { readSettings } from './settings';
import type { Polled } from './window';
import { firstPoll, pollWindows, recentItems } from './window';

/** A poll starts no new work after this. */
const POLL_MS = 30_000;
/** For "Fetch Test Event", where a user waits. */
const TEST_MS = 60_000;
/** n8n's default limit for a poll. */
const MAX_POLL_MS = 300_000;

/**
 * Runs one poll; null if there is nothing new. Saves the cursor last, so a failed poll changes nothing. Throws
 * NodeOperationError for invalid parameters and NodeApiError if the PBX can't be read, but never when n8n starts.
 */
export async function pollRecords(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') {
		const { poll } = await openPoll(context, AbortSignal.timeout(TEST_MS), TEST_MS);
		const items = recentItems(poll);
		return [
			await items.catch((error: unknown) => {
				throw toNodeError(context, error);
			}),
		];
	}
	const who = whoWaits(context);
	const state = updateState(context);
	// n8n's crons start polls on time, even while the last one is running.
	if (who === 'schedule' && state.running && Date.now() < state.running.endsAt) return null;
	const running = { endsAt: Date.now() + MAX_POLL_MS };
	state.running = running;
	const recordError = (thrown: unknown) => {
		const error = toNodeError(context, thrown);
		state.error = error.message;
		throw error;
	};
	try {
		const polled = await POLLS[who](context, state).catch(recordError);
		recordPolled(context);
		state.error = undefined;
		// n8n drops the result of a poll if its trigger was republished meanwhile.
		if (!polled || state.running !== running) return null;
		const { items, cursor } = polled;
		const isPublication = who !== 'schedule';
		saveCursor(context, state, cursor, { hasItems: items.length > 0, isPublication });
		return items.length === 0 ? null : [items];
	} finally {
		if (state.running === running) state.running = undefined;
	}
}

/** How to poll, by who waits for it. They return undefined if nothing changes. */
const POLLS = { start: atStart, person: atPublication, schedule: onSchedule };

/**
 * Sends nothing and throws nothing: after an error, n8n would never start the trigger again (docs/internals/n8n.md).
 */
async function atStart(context: IPollFunctions, state: RecordTriggerState) {
	const reading = openPoll(context, AbortSignal.timeout(POLL_MS), POLL_MS);
	const opened = await reading.catch((error: unknown) => warn(context, error));
	if (!opened || loadCursor(context, state, { ...opened, isScheduled: false })) return undefined;
	const isUnread = true as const;
	return { items: [], cursor: { ...cursorAt(opened.source, Date.now()), isUnread } };
}

/** A user waits and sees errors. A PBX that is down must not stop a trigger that has worked. */
async function atPublication(context: IPollFunctions, state: RecordTriggerState) {
	return await inPublication(context, async (deadline) => {
		const { poll, source } = await openPoll(context, deadline, POLL_MS);
		const cursor = loadCursor(context, state, { source, isScheduled: false });
		return await run(poll, source, cursor).catch((error: unknown) => {
			if (!cursor || !isTransientError(error)) throw error;
			return warn(context, error);
		});
	});
}

async function onSchedule(context: IPollFunctions, state: RecordTriggerState) {
	if (isOvertaken(context, state)) return undefined;
	const limit = Math.min(MAX_POLL_MS, context.getPollBudgetMs?.() ?? MAX_POLL_MS);
	const deadline = AbortSignal.timeout(Math.floor(0.95 * limit));
	const { poll, source } = await openPoll(context, deadline, Math.min(POLL_MS, 0.8 * limit));
	return await run(poll, source, loadCursor(context, state, { source, isScheduled: true }));
}

async function run(poll: PollContext, source: string, cursor: Cursor | undefined): Promise<Polled> {
	const { context } = poll;
	const backMs = cursor ? setBackMs(cursor, Date.now()) : 0;
	if (backMs > 0) {
		const hours = (backMs / 3_600_000).toFixed(1);
		context.logger.warn(
			`${context.getNode().name}: n8n's clock is ${hours} hours behind the last poll. Check the time of n8n's server. The trigger continues where the PBX's call records end, so no call is lost or repeated.`,
		);
	}
	return cursor && !cursor.isUnread
		? await pollWindows(poll, cursor)
		: await firstPoll(poll, source, cursor && Math.min(cursor.until, Date.now()));
}

/**
 * Opens the PBX without sending anything, and reads the parameters and the source of the records. Calls and call
 * records share a cursor. The deadline aborts requests; no new ones start after `forMs`.
 */
async function openPoll(context: IPollFunctions, deadline: AbortSignal, forMs: number) {
	const opened = await openPbx(context, { deadline });
	const settings = readSettings(context, opened.country);
	const credential = context.getNode().credentials?.[CREDENTIAL]?.id ?? '';
	const kind = settings.kind === 'recordingReady' ? 'recordings' : 'calls';
	const intervalMs = pollIntervalMs(context.getNodeParameter('pollTimes', {}));
	const pbx = opened.inAccount(settings.accountId);
	const poll: PollContext = { context, pbx, settings, endsAt: Date.now() + forMs, intervalMs };
	return { poll, source: [credential, settings.accountId ?? pbx.loginId, kind].join('/') };
}

function warn(context: IPollFunctions, error: unknown): undefined {
	const { name } = context.getNode();
	context.logger.warn(
		`${name}: ${sentence(toNodeError(context, error).message)} The next poll tries again.`,
	);
}
