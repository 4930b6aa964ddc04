import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Credential, Execution, WorkflowFile } from '../../../tools/n8n';
import { jsonOf } from '../../../tools/n8n';

export const TRIGGER = 'Call Events';

/** A workflow of the event trigger alone. */
export function triggerWorkflow(
	credential: Credential,
	parameters: IDataObject = {},
	typeVersion = 1.1,
): WorkflowFile {
	const { id, name } = credential;
	return {
		name: `Call events ${randomUUID().slice(0, 8)}`,
		nodes: [
			{
				id: randomUUID(),
				name: TRIGGER,
				type: 'n8n-nodes-virtual-pbx.virtualPbxTrigger',
				typeVersion,
				position: [0, 0],
				webhookId: randomUUID(),
				parameters: {
					events: ['started', 'answered', 'ended'],
					...parameters,
				} as WorkflowFile['nodes'][number]['parameters'],
				credentials: { virtualPbxApi: { id, name } },
			},
		],
		connections: {},
	};
}

/** The events that executions were started for. */
export function eventsOf(executions: Execution[]): unknown[] {
	return executions.flatMap((execution) => jsonOf(execution, TRIGGER)).map(({ event }) => event);
}
