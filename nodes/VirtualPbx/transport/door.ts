import type { ICredentialsDecrypted, INode } from 'n8n-workflow';

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
}
