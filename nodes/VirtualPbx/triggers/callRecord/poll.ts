import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { CREDENTIAL } from '../../transport/request';
import type { Failure } from '../../transport/failure';
import { mayPass } from '../../transport/failure';
import { pause } from '../../transport/retry';
import { openPbx } from '../../transport/pbx';
import type { Pbx } from '../../transport/pbx';
import { countryFor } from '../country';
import { begin, sample } from './begin';
import { catchUp } from './catchUp';
import type { Kept } from './progress';
import { keep, readKept } from './progress';
import type { Settings } from './settings';
import { readSettings } from './settings';
import { spanOf } from './work';
import type { Work } from './work';

/** Polls under way in this process: n8n starts the next one on time, even when the last one still runs. */
const running = new Set<string>();

/** What polls that gave items began with, and when they ended, the oldest first. */
const usedUp = new Map<string, number>();
/** n8n may read what a poll begins with so long before it stores what the last one has left. */
const HAND_OVER_MS = 10_000;

/**
 * One poll of the record trigger. The progress is written last, so a poll that fails changes nothing and the next one
 * begins where it began.
 *
 * @returns the items, or null when there is nothing new
 * @throws NodeOperationError for wrong parameters, NodeApiError when the PBX cannot be read; at n8n's start, where nobody
 * reads it, not for a PBX that is only out of reach
 */
export async function pollRecords(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const settings = readSettings(context, await countryFor(context));
	const source = sourceOf(context, settings);
	const place = `${context.getWorkflow().id}:${context.getNode().id}`;
	if (context.getMode() === 'manual') {
		return [await sample((await openWork(context, settings, `test ${place} ${source}`)).work)];
	}
	if (running.has(place)) {
		rememberTry(context, source, readKept(context, source));
		return null;
	}
	running.add(place);
	try {
		return await pollOnce(context, settings, { place, source });
	} finally {
		running.delete(place);
	}
}

async function pollOnce(
	context: IPollFunctions,
	settings: Settings,
	{ place, source }: { place: string; source: string },
): Promise<INodeExecutionData[][] | null> {
	const kept = readKept(context, source);
	const { times, firstTried, progress } = kept;
	const beginning = JSON.stringify([place, source, times, firstTried, progress?.watermark]);
	if (isUsedUp(beginning)) return null;
	const { work, failures } = await openWork(context, settings, `${place} ${source}`, place);
	rememberTry(context, source, kept);
	const polling = kept.progress
		? catchUp(work, kept.progress)
		: begin(work, source, kept.firstTried);
	const polled = await polling.catch((error: unknown) => {
		const failure = failures.at(-1);
		if (!work.span.isAtStart || !failure || !mayPass(failure)) throw error;
		const { name } = context.getNode();
		context.logger.warn(
			`${name}: ${failure.words}. The next poll continues where the last one stopped.`,
		);
		return undefined;
	});
	if (!polled) return null;
	keep(context, kept, polled.progress);
	if (polled.items.length === 0) return null;
	usedUp.set(beginning, Date.now());
	return [polled.items];
}

/**
 * Tells whether a poll would give again what has just been given: n8n's durable scheduler runs polls of several schedules
 * side by side, and hands each what was stored when it began. What n8n drops of it comes with a later poll.
 */
function isUsedUp(beginning: string): boolean {
	for (const [one, endedAt] of usedUp) {
		const age = Date.now() - endedAt;
		if (age >= 0 && age < HAND_OVER_MS) break;
		usedUp.delete(one);
	}
	return usedUp.has(beginning);
}

/** Keeps when the first poll was tried: calls count from then on, whatever becomes of that poll. */
function rememberTry(context: IPollFunctions, source: string, kept: Kept): void {
	if (kept.progress || kept.firstTried !== undefined) return;
	keep(context, kept, { source, firstTried: Date.now() });
}

/** Opens the PBX for one poll; `failures` gathers what its requests for lists come to. */
async function openWork(
	context: IPollFunctions,
	settings: Settings,
	lookPlace: string,
	place = lookPlace,
): Promise<{ work: Work; failures: Failure[] }> {
	const span = spanOf(context, place);
	const failures: Failure[] = [];
	const pbx = await openPbx(context, span.requests);
	const noting: Pbx = {
		...pbx,
		send: async (request) => {
			const outcome = await pbx.attempt(request);
			if (outcome.ok) return outcome.body;
			failures.push(outcome.failure);
			throw outcome.error;
		},
	};
	const files = settings.kind === 'recording' ? await openPbx(context) : pbx;
	return {
		work: { context, pbx: noting, files, settings, span, place: lookPlace, wait: pause },
		failures,
	};
}

/** Whose records these are; calls and call records share their progress. */
function sourceOf(context: IPollFunctions, { kind, accountId }: Settings): string {
	const credential = context.getNode().credentials?.[CREDENTIAL]?.id ?? '';
	return [credential, accountId ?? '', kind === 'recording' ? 'recordings' : 'calls'].join('/');
}
