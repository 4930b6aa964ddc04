import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	ITriggerFunctions,
} from 'n8n-workflow';

import type { Connection } from './connect';
import { isObject } from '../../../values/json';

type Context = IHookFunctions | ITriggerFunctions;

/** A connection as it is kept in n8n's database. */
export interface Recorded extends Connection {
	/** Web services of other n8n workflows that the callflow asked, too. */
	others?: string[];
}

/** The workflow and the node; n8n keys static data by the node's name alone, and it travels with a copied database. */
function ownerOf(context: Pick<Context, 'getWorkflow' | 'getNode'>): string {
	return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}

/**
 * The connection that this node of this workflow has made. What an older version wrote names no owner: it counts where
 * its address ends with the ID of this node's webhook, which no other node has.
 *
 * @param webserver the present address of this node
 */
export function recorded(
	context: Pick<Context, 'getWorkflow' | 'getNode' | 'getWorkflowStaticData'>,
	webserver: string | undefined,
): Recorded | undefined {
	const { connection } = context.getWorkflowStaticData('node');
	if (!isObject(connection) || typeof connection.callflowId !== 'string') return undefined;
	const { owner, ...rest } = connection;
	const known = rest as unknown as Recorded;
	if (owner !== undefined) return owner === ownerOf(context) ? known : undefined;
	if (webserver === undefined || endOf(known.webserver) !== endOf(webserver)) return undefined;
	const isEmpty = Object.keys(known.oldFlow ?? {}).length === 0;
	return isEmpty ? { ...known, oldFlow: undefined } : known;
}

/** The last two parts of a webhook's path, of which the first is its ID. */
const endOf = (address: unknown) => String(address).split('/').slice(-2).join('/');

/** Keeps a connection for the time after a restart. */
export function remember(context: Context, connection: Recorded): void {
	const { callflowId, accountId, webserver, oldFlow, others = [] } = connection;
	const plain: IDataObject = {
		owner: ownerOf(context),
		callflowId,
		webserver,
		...(oldFlow ? { oldFlow } : {}),
		...(accountId ? { accountId } : {}),
		...(others.length > 0 ? { others } : {}),
	};
	context.getWorkflowStaticData('node').connection = plain;
}

/** Ends the connection; an old flow that was not put back is kept beside. */
export function forget(context: IHookFunctions, notPutBack: Connection | undefined): void {
	const data = context.getWorkflowStaticData('node');
	if (notPutBack) {
		const { callflowId, oldFlow } = notPutBack;
		data.notPutBack = { callflowId, ...(oldFlow ? { oldFlow } : {}) };
	}
	delete data.connection;
}

/** Other workflows' web services that the callflow asked, too, when this node was connected. */
export function recordedOthers(context: IExecuteFunctions): string[] {
	const { connection } = context.getWorkflowStaticData('node');
	const others: unknown = isObject(connection) ? connection.others : undefined;
	return Array.isArray(others) ? others.map(String) : [];
}

const MAX_HOLDERS = 1000;

/** By address: the workflow and node that last connected it, or found it connected, in this process. */
const holders = new Map<string, string>();

/** Notes that this node has the callflow ask its address: it created the connection, or found it right. */
export function hold(context: Context, webserver: string): void {
	holders.delete(webserver);
	if (holders.size >= MAX_HOLDERS) holders.delete([...holders.keys()][0] ?? '');
	holders.set(webserver, ownerOf(context));
}

/** Whether this node holds its address, another one does, or nobody is known to do so since n8n started. */
export function holderOf(context: IHookFunctions, webserver: string): 'self' | 'other' | undefined {
	const holder = holders.get(webserver);
	if (holder === undefined) return undefined;
	return holder === ownerOf(context) ? 'self' : 'other';
}

/** Gives the address up after its pivot node was taken out. */
export function release(webserver: string): void {
	holders.delete(webserver);
}
