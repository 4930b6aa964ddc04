import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { asText, isObject } from '../../../util/json';
import { runtimeOf } from '../../runtime/nodeRuntime';

type Context = IHookFunctions | ITriggerFunctions;

/**
 * Returns the address at which a publication of this node connected it. Checks the node, since n8n keys static data by
 * node name and can copy, lose, or reset it.
 */
export function recordedWebserver(context: Context): string | undefined {
	const { connection } = context.getWorkflowStaticData('node');
	if (!isObject(connection) || connection.owner !== runtimeOf(context).key) return undefined;
	return asText(connection.webserver);
}

/** Records where a callflow calls this node, or that none does. Saved with the publication. */
export function recordConnection(context: Context, webserver?: string): void {
	const data = context.getWorkflowStaticData('node');
	if (webserver === undefined) delete data.connection;
	else data.connection = { owner: runtimeOf(context).key, webserver };
}
