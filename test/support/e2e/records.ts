import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { credentialOf, makeNode, rowOf } from '../../../tools/n8n';
import type { Credential, WorkflowFile } from '../../../tools/n8n';
import { checkSoon } from './polls';

export const RECORD_TRIGGER = 'New Call';

/** Builds a workflow of the Call Record Trigger alone, which checks at once when it is published, and then often. */
export function recordWorkflow(credential: Credential, parameters: IDataObject = {}): WorkflowFile {
	const own = credentialOf(credential);
	const node = makeNode(RECORD_TRIGGER, 'virtualPbxRecordTrigger', parameters, own);
	checkSoon(node);
	return rowOf(`Call records ${randomUUID()}`, [node]);
}
