import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Credential, Execution, WorkflowFile } from '../../../tools/n8n';
import { credentialOf, jsonOf, makeNode, rowOf } from '../../../tools/n8n';

export const TRIGGER = 'Call Events';

/** A workflow of the event trigger alone. */
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

/** The events that executions were started for. */
export function eventsOf(executions: Execution[]): unknown[] {
	return executions.flatMap((execution) => jsonOf(execution, TRIGGER)).map(({ event }) => event);
}
