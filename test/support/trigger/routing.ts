import type { IDataObject } from 'n8n-workflow';
import { startTrigger } from '../core';
import type { StoredCredential, TestTrigger, TriggerInput } from '../core';

/** Steps for a fallback that needs no other callflow. */
const STEPS = { step: [{ type: 'id', id: 'u2' }] };

/** Creates an inactive routing trigger that connects itself to a callflow, and answers by its last node. */
export async function startRoutingTrigger(
	credential: StoredCredential,
	callflowId: string,
	parameters: IDataObject = {},
	rest: Partial<TriggerInput> = {},
): Promise<TestTrigger> {
	const connected = {
		connect: 'callflow',
		callflowId: { __rl: true, mode: 'id', value: callflowId },
		responseMode: 'lastNode',
		fallback: STEPS,
	};
	return await startTrigger({
		type: 'virtualPbxRoutingTrigger',
		credential,
		parameters: { ...connected, ...parameters } as never,
		...rest,
	});
}
