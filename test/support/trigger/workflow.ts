import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Credential, Execution, WorkflowFile } from '../../../tools/n8n';
import { credentialOf, jsonOf, makeNode, rowOf } from '../../../tools/n8n';

export const TRIGGER = 'Call Events';
/** An answered call. */
export const CALL = {
	from: '12125550123',
	to: '12125550100',
	ring_seconds: 2,
	talk_seconds: 20,
	speed: 100,
};
/** Long enough for one check: they run each minute, at an unknown second. */
export const ONE_CHECK_MS = 75_000;

/** Builds a workflow of the event trigger alone. */
export function triggerWorkflow(
	credential: Credential,
	parameters: IDataObject = {},
	typeVersion = 1.1,
): WorkflowFile {
	const wanted = { events: ['started', 'answered', 'ended'], ...parameters };
	const more = { typeVersion, ...credentialOf(credential) };
	const node = makeNode(TRIGGER, 'virtualPbxTrigger', wanted, more);
	return rowOf(`Call events ${randomUUID().slice(0, 8)}`, [node]);
}

/** Returns the events that started executions. */
export function eventsOf(executions: Execution[]): unknown[] {
	return executions.flatMap((execution) => jsonOf(execution, TRIGGER)).map(({ event }) => event);
}
