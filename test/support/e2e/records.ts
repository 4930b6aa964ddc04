import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { credentialOf, makeNode, rowOf } from '../../../tools/n8n';
import type { Credential, WorkflowFile } from '../../../tools/n8n';
import { POLL_TIMES } from './polls';

export const RECORD_TRIGGER = 'New Call';

/** Builds a workflow of the Call Record Trigger alone, which polls repeatedly and at once on activation. */
export function recordWorkflow(credential: Credential, parameters: IDataObject = {}): WorkflowFile {
	const all = { pollTimes: POLL_TIMES, ...parameters };
	const node = makeNode(RECORD_TRIGGER, 'virtualPbxRecordTrigger', all, credentialOf(credential));
	return rowOf(`Call records ${randomUUID()}`, [node]);
}
