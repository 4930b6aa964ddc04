import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { readProgress } from '../../records/progress';
import { CREDENTIAL } from '../../transport/door';
import { pause } from '../../transport/pause';
import { openPbx } from '../../transport/pbx';
import { begin, sample } from './begin';
import { catchUp } from './catchUp';
import type { Settings } from './settings';
import { readSettings } from './settings';

/** Polls under way in this process: n8n starts the next one on time, even when the last one still runs. */
const running = new Map<string, { since: number }>();

/** A poll that takes longer is given up for lost: it may no longer write. */
const LONGEST_POLL_MS = 30 * 60_000;

/**
 * One poll of the record trigger. The progress is written last, so a poll that fails changes nothing and the next one
 * begins where it began.
 *
 * @returns the items, or null when there is nothing new
 * @throws NodeOperationError for wrong parameters, NodeApiError when the PBX cannot be read
 */
export async function pollRecords(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const settings = readSettings(context);
	const work = { context, pbx: await openPbx(context), settings, wait: pause };
	if (context.getMode() === 'manual') return [await sample(work)];

	const place = `${context.getWorkflow().id}:${context.getNode().id}`;
	const before = running.get(place);
	if (before && Date.now() - before.since < LONGEST_POLL_MS) return null;
	const turn = { since: Date.now() };
	running.set(place, turn);
	try {
		const data = context.getWorkflowStaticData('node');
		const source = sourceOf(context, settings);
		const known = readProgress(data, source);
		const { items, progress } = known ? await catchUp(work, known) : await begin(work, source);
		if (running.get(place) !== turn) return null;
		Object.assign(data, progress);
		return items.length === 0 ? null : [items];
	} finally {
		if (running.get(place) === turn) running.delete(place);
	}
}

/** Whose records these are; calls and call records share their progress. */
function sourceOf(context: IPollFunctions, { kind, accountId }: Settings): string {
	const credential = context.getNode().credentials?.[CREDENTIAL]?.id ?? '';
	return [credential, accountId ?? '', kind === 'recording' ? 'recordings' : 'calls'].join('/');
}
