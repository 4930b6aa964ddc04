import type { IDataObject } from 'n8n-workflow';

import type { Pbx } from '../../../transport/pbx';
import type { Problem } from '../../healthReporter';
import type { Tick } from '../../lifecycle';
import type { Connection, DesiredConnection } from './connect';
import { connect, isConnected, readFlow, recordedConnection } from './connect';
import { ownPivotsIn } from './pivot';

const AGAIN = 'To have it ask this node, publish the workflow again.';

/**
 * Compares the callflow with what is desired, and reports what differs; what a person has changed stays. Only what no
 * publication could connect, since n8n was killed in it, is connected now. Throws when the PBX cannot be asked.
 */
export async function checkConnection(
	pbx: Pbx,
	desired: DesiredConnection,
	{ context, reporter, isFirst }: Tick,
): Promise<void> {
	let flow = await readFlow(pbx, desired);
	if (
		isFirst &&
		!recordedConnection(context) &&
		ownPivotsIn(flow, desired.pivot.webserver).length === 0
	)
		flow = await connect(pbx, desired, undefined);
	const problem = isConnected(pbx, flow, desired)
		? undefined
		: problemOf(flow, desired, recordedConnection(context));
	if (problem) reporter.report(problem);
	else reporter.resolve('callflow', 'the callflow asks this node again.');
}

function problemOf(
	flow: IDataObject,
	desired: DesiredConnection,
	recorded: Connection | undefined,
): Problem {
	const { callflowId, pivot } = desired;
	const about = { subject: 'callflow', remedy: AGAIN };
	if (ownPivotsIn(flow, pivot.webserver).length > 0) {
		const message = `someone has changed the pivot module of callflow ${callflowId}, which asks this node otherwise than it is set up.`;
		return { ...about, key: 'changed', message };
	}
	if (recorded && recorded.webserver !== pivot.webserver) {
		const message = `callflow ${callflowId} does not ask this node: it was published at ${recorded.webserver}, and n8n is now at ${pivot.webserver}.`;
		return { ...about, key: 'moved', message };
	}
	const message = `callflow ${callflowId} no longer asks this node: someone has changed its flow.`;
	return { ...about, key: 'taken out', message };
}
