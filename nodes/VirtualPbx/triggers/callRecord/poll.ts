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
import { noteRecordTrigger, pollIntervalMs } from '../runtime/recordTriggers';
import type { RecordTriggerState } from '../runtime/recordTriggers';
import { setBackMs } from './clock';
import type { Cursor } from './cursor';
import { cursorAt, isOvertaken, loadCursor, saveCursor } from './cursor';
import type { PollContext } from './settings';
import { readSettings } from './settings';
import type { Polled } from './window';
import { firstPoll, pollWindows, recentItems } from './window';

/** A poll begins nothing new after this. */
const POLL_MS = 30_000;
/** "Fetch Test Event", for which a person waits. */
const TEST_MS = 60_000;
/** n8n's own limit where it names none. */
const LONGEST_MS = 300_000;

/**
 * One poll; null when there is nothing new. The cursor is saved last, so a poll that fails changes nothing. Throws a
 * NodeOperationError for wrong parameters, a NodeApiError when the PBX cannot be read; never when n8n starts.
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
	const state = noteRecordTrigger(context);
	// n8n's crons begin polls on time, also while the last one runs.
	if (who === 'schedule' && state.running && Date.now() < state.running.endsAt) return null;
	const running = { endsAt: Date.now() + LONGEST_MS };
	state.running = running;
	const noteError = (thrown: unknown) => {
		const error = toNodeError(context, thrown);
		state.error = error.message;
		throw error;
	};
	try {
		const polled = await POLLS[who](context, state).catch(noteError);
		recordPolled(context);
		state.error = undefined;
		// n8n drops what a poll gives whose trigger was published anew meanwhile.
		if (!polled || state.running !== running) return null;
		const { items, cursor } = polled;
		const isPublication = who !== 'schedule';
		saveCursor(context, state, cursor, { hasItems: items.length > 0, isPublication });
		return items.length === 0 ? null : [items];
	} finally {
		if (state.running === running) state.running = undefined;
	}
}

/** How polls go, by who waits for them; undefined where nothing changes. */
const POLLS = { start: atStart, person: atPublication, schedule: onSchedule };

/** Asks the PBX nothing, and throws nothing, since n8n would never start the trigger again (docs/internals/n8n.md). */
async function atStart(context: IPollFunctions, state: RecordTriggerState) {
	const reading = openPoll(context, AbortSignal.timeout(POLL_MS), POLL_MS);
	const opened = await reading.catch((error: unknown) => warn(context, error));
	if (!opened || loadCursor(context, state, { ...opened, isLater: false })) return undefined;
	const isUnread = true as const;
	return { items: [], cursor: { ...cursorAt(opened.source, Date.now()), isUnread } };
}

/** A person waits and reads what is thrown. A PBX that is down is no reason to stop a trigger that has worked. */
async function atPublication(context: IPollFunctions, state: RecordTriggerState) {
	return await inPublication(context, async (deadline) => {
		const { poll, source } = await openPoll(context, deadline, POLL_MS);
		const cursor = loadCursor(context, state, { source, isLater: false });
		return await run(poll, source, cursor).catch((error: unknown) => {
			if (!cursor || !isTransientError(error)) throw error;
			return warn(context, error);
		});
	});
}

async function onSchedule(context: IPollFunctions, state: RecordTriggerState) {
	if (isOvertaken(context, state)) return undefined;
	const limit = Math.min(LONGEST_MS, context.getPollBudgetMs?.() ?? LONGEST_MS);
	const deadline = AbortSignal.timeout(Math.floor(0.95 * limit));
	const { poll, source } = await openPoll(context, deadline, Math.min(POLL_MS, 0.8 * limit));
	return await run(poll, source, loadCursor(context, state, { source, isLater: true }));
}

async function run(poll: PollContext, source: string, cursor: Cursor | undefined): Promise<Polled> {
	const { context } = poll;
	const backMs = cursor ? setBackMs(cursor, Date.now()) : 0;
	if (backMs > 0) {
		const hours = (backMs / 3_600_000).toFixed(1);
		context.logger.warn(
			`${context.getNode().name}: n8n's clock is ${hours} hours behind the last poll. Check the time of n8n's server. The trigger goes on where the call records of the PBX end, so no call is lost or repeated.`,
		);
	}
	return cursor && !cursor.isUnread
		? await pollWindows(poll, cursor)
		: await firstPoll(poll, source, cursor && Math.min(cursor.until, Date.now()));
}

/**
 * Opens the PBX, without asking it, and reads the parameters and whose records they mean; calls and call records share their
 * cursor. The deadline ends its requests; `forMs` is how long it begins new ones.
 */
async function openPoll(context: IPollFunctions, deadline: AbortSignal, forMs: number) {
	const pbx = await openPbx(context, { deadline });
	const settings = readSettings(context, pbx.country);
	const credential = context.getNode().credentials?.[CREDENTIAL]?.id ?? '';
	const kind = settings.kind === 'recordingReady' ? 'recordings' : 'calls';
	const intervalMs = pollIntervalMs(context.getNodeParameter('pollTimes', {}));
	const poll: PollContext = { context, pbx, settings, endsAt: Date.now() + forMs, intervalMs };
	return { poll, source: [credential, settings.accountId ?? pbx.loginId, kind].join('/') };
}

function warn(context: IPollFunctions, error: unknown): undefined {
	const { name } = context.getNode();
	context.logger.warn(
		`${name}: ${sentence(toNodeError(context, error).message)} The next poll tries again.`,
	);
}
