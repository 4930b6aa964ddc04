import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { asText, isObject } from '../../../util/json';
import { runtimeOf } from '../../runtime/nodeRuntime';

type Context = IHookFunctions | ITriggerFunctions;

/**
 * Returns the address at which a publication of this very node has connected it. n8n keys static data by the node's name, and
 * copies, loses, or sets it back.
 */
export function recordedWebserver(context: Context): string | undefined {
	const { connection } = context.getWorkflowStaticData('node');
	if (!isObject(connection) || connection.owner !== runtimeOf(context).key) return undefined;
	return asText(connection.webserver);
}

/** Records where a callflow asks this node, to be saved with the publication; or that none does. */
export function recordConnection(context: Context, webserver?: string): void {
	const data = context.getWorkflowStaticData('node');
	if (webserver === undefined) delete data.connection;
	else data.connection = { owner: runtimeOf(context).key, webserver };
}
