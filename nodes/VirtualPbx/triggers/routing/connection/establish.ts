import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import type { Pbx } from '../../../transport/pbx';
import { isStart } from '../../waiting';
import { otherWorkflows, warnOfLoss, warnOfOthers } from '../report';
import type { Settings } from '../settings';
import type { CallflowPlace } from './connect';
import { connect } from './connect';
import type { Recorded } from './record';
import { hold, recorded, remember } from './record';

/**
 * Writes the pivot node into the chosen callflow, and keeps what was there.
 *
 * @throws NodeApiError or NodeOperationError in the user's words; then the callflow is as it was
 */
export async function putInPlace(
	context: IHookFunctions | ITriggerFunctions,
	pbx: Pbx,
	{ place, pivot }: Settings,
): Promise<void> {
	const { webserver } = pivot;
	const record = recorded(context, webserver);
	const isHere = record !== undefined && isSamePlace(record, place);
	// Only a person can know that no other n8n lives at the earlier address.
	const known = isHere && !isStart(context) ? [record.webserver] : [];
	hold(context, webserver);
	const done = await connect(pbx, place, pivot, known);
	const oldFlow = (isHere && !done.isNew ? record.oldFlow : undefined) ?? done.connection.oldFlow;
	const others = otherWorkflows(done.asked, webserver);
	remember(context, { ...done.connection, oldFlow, others });
	warnOfOthers(context, place.callflowId, done.asked, webserver);
	warnOfLoss(context, place.callflowId, done);
}

/** Why nothing is connected where no person has asked for it just now: someone else may live on the calls. */
export function strangerIn(
	asked: readonly string[],
	webserver: string,
	record: Recorded | undefined,
): string | undefined {
	const earlier = record?.webserver;
	if (earlier !== undefined && earlier !== webserver) {
		return asked.includes(earlier)
			? `it asks ${earlier}, an earlier address of this n8n or of the n8n that it is a copy of`
			: `this node was at ${earlier} before, which may be the n8n that this one is a copy of`;
	}
	const [other] = otherWorkflows(asked, webserver);
	return other && `it asks another n8n workflow, ${other}`;
}

/** Tells whether someone has taken the pivot node out of the flow into which this node is recorded to have put it. */
export function wasTakenOut(
	asked: readonly string[],
	{ place, pivot }: Settings,
	record: Recorded | undefined,
): boolean {
	if (!record || !isSamePlace(record, place) || record.webserver !== pivot.webserver) return false;
	return !asked.includes(pivot.webserver);
}

/** Tells whether two callflows are one. */
export function isSamePlace(one: CallflowPlace, other: CallflowPlace): boolean {
	return one.callflowId === other.callflowId && (one.accountId ?? '') === (other.accountId ?? '');
}
