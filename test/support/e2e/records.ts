import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Credential, WorkflowFile } from '../../../tools/n8n';
import { POLL_TIMES } from './polls';

export const RECORD_TRIGGER = 'New Call';

/** A workflow of the Call Record Trigger alone, which polls again and again, and at once on activation. */
export function recordWorkflow(
	{ id, name }: Pick<Credential, 'id' | 'name'>,
	parameters: IDataObject = {},
): WorkflowFile {
	return {
		name: `Call records ${randomUUID()}`,
		nodes: [
			{
				id: randomUUID(),
				name: RECORD_TRIGGER,
				type: 'n8n-nodes-virtual-pbx.virtualPbxRecordTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: { pollTimes: POLL_TIMES, ...parameters } as never,
				credentials: { virtualPbxApi: { id, name } },
			},
		],
		connections: {},
	};
}
