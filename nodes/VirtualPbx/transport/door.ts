import type { ICredentialsDecrypted, INode } from 'n8n-workflow';

import type { Budget } from './budget';
import type { PbxContext } from './context';

/** n8n's name of the credential type. */
export const CREDENTIAL = 'virtualPbxApi';

/** What all requests of one execution share. */
export interface Door {
	context: PbxContext;
	node: INode;
	/** Decrypted once. */
	credentialsDecrypted: ICredentialsDecrypted;
	signal: AbortSignal | undefined;
	/** How long all of them may take together; undefined where nobody waits. */
	budget: Budget | undefined;
}
