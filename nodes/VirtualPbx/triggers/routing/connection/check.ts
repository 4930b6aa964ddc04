import type { IDataObject } from 'n8n-workflow';

import type { Pbx } from '../../../pbx/client';
import type { Problem } from '../../runtime/healthReporter';
import type { CheckContext } from '../../runtime/lifecycle';
import type { DesiredConnection } from './connect';
import { connect, isConnected, namedRivals, readFlow } from './connect';
import { ownPivotsIn } from './pivot';
import { recordedWebserver } from './record';

const AGAIN = 'To have it ask this node, publish the workflow again.';

/**
 * Compares the callflow with what is desired, and reports what differs; what a person has changed stays. Only what no
 * publication could connect, since n8n was killed in it, is connected now. Throws when the PBX cannot be asked.
 */
export async function checkConnection(
	pbx: Pbx,
	desired: DesiredConnection,
	{ context, reporter, isFirst }: CheckContext,
): Promise<void> {
	let flow = await readFlow(pbx, desired);
	const recorded = recordedWebserver(context);
	const isAsked = ownPivotsIn(flow, desired.pivot.webserver).length > 0;
	if (isFirst && recorded === undefined && !isAsked) {
		await connect(pbx, desired, undefined);
		flow = await readFlow(pbx, desired);
	}
	if (!isConnected(flow, desired)) reporter.report(problemOf(flow, desired, recorded));
	else reporter.resolve('callflow', 'the callflow asks this node again.');
}

function problemOf(
	flow: IDataObject,
	desired: DesiredConnection,
	recorded: string | undefined,
): Problem {
	const { callflowId, pivot } = desired;
	const about = { subject: 'callflow', remedy: `${namedRivals(flow, desired)}${AGAIN}` };
	if (ownPivotsIn(flow, pivot.webserver).length > 0) {
		const message = `someone has changed the pivot module of callflow ${callflowId}, which asks this node otherwise than it is set up.`;
		return { ...about, remedy: AGAIN, key: 'changed', message };
	}
	if (recorded !== undefined && recorded !== pivot.webserver) {
		const message = `callflow ${callflowId} does not ask this node: it was published at ${recorded}, and n8n is now at ${pivot.webserver}.`;
		return { ...about, remedy: AGAIN, key: 'moved', message };
	}
	const message = `callflow ${callflowId} no longer asks this node: someone has changed its flow.`;
	return { ...about, key: 'taken out', message };
}
