import type { IDataObject } from 'n8n-workflow';

import { asText, isObject, percentDecoded } from '../../util/json';
import { usableFormat } from './format';
import { isKept } from './kept';
import { childrenOf, pivotNodesIn } from './pivotModule';

/**
 * Finds the pivot nodes that call a web service, starting at the root. Their `voice_url` (§2.2) names it by its host and
 * path after `{dflow}`, or, on platforms that use one, by its address.
 */
export function ownPivotsIn(flow: unknown, webserver: string): IDataObject[] {
	return pivotNodesIn(flow).filter((node) => serviceIn(node) === webserver);
}

/**
 * Returns whether a flow calls a web service, everywhere with these parameters (§2.2). Without a format among them,
 * any usable one is fine.
 */
export function callsWith(flow: IDataObject, webserver: string, data: IDataObject): boolean {
	const own = ownPivotsIn(flow, webserver);
	const isRight = ({ data: found }: IDataObject) =>
		isKept(data, found) && (data.req_format !== undefined || usableFormat(found) !== undefined);
	return own.length > 0 && own.every(isRight);
}

/** Lists what a flow's other pivot nodes call: host and path, or the raw address. */
export function otherWebservers(flow: unknown, webserver: string): string[] {
	const asked = pivotNodesIn(flow)
		.filter((node) => serviceIn(node) !== webserver)
		.map((node) => webserverIn(node) ?? asText((node.data as IDataObject).voice_url));
	return [...new Set(asked)].filter((one) => one !== undefined) as string[];
}

/** Returns whether any parameter of a flow's pivot nodes names a web service, percent-encoded or not. */
export function mentions(flow: IDataObject, webserver: string): boolean {
	return pivotNodesIn(flow).some(({ data }) =>
		percentDecoded(JSON.stringify(data)).includes(webserver),
	);
}

function voiceUrlIn({ module, data }: IDataObject): string {
	const url = module === 'pivot' && isObject(data) ? data.voice_url : undefined;
	return typeof url === 'string' ? url : '';
}

function webserverIn(node: IDataObject): string | undefined {
	return /&webserver=([^&]*)/.exec(voiceUrlIn(node))?.[1];
}

function serviceIn(node: IDataObject): string | undefined {
	return webserverIn(node) ?? /^https?:\/\/[^?#]*/i.exec(voiceUrlIn(node))?.[0];
}

/** Inserts a pivot node before a flow, which becomes its child: calls continue with it if the web service fails. */
export function withPivotInFront(oldFlow: unknown, data: IDataObject): IDataObject {
	return { module: 'pivot', data, children: isFlow(oldFlow) ? { _: oldFlow } : {} };
}

/** Sets parameters of the pivot nodes that call these web services, leaving everything else unchanged. */
export function withPivotData(
	flow: IDataObject,
	webservers: readonly string[],
	data: IDataObject,
): IDataObject {
	const changed = withChildren(flow, (child) => withPivotData(child, webservers, data));
	if (!webservers.includes(serviceIn(flow) ?? '')) return changed;
	return { ...changed, data: { ...(flow.data as IDataObject), ...data } };
}

/** Copies a flow with other children, removing branches for which `change` returns nothing. */
function withChildren(
	flow: IDataObject,
	change: (child: IDataObject) => IDataObject | undefined,
): IDataObject {
	if (!isObject(flow.children)) return flow;
	const children = Object.entries(flow.children)
		.map(([key, child]) => [key, isObject(child) ? change(child) : child] as const)
		.filter(([, child]) => child !== undefined);
	return { ...flow, children: Object.fromEntries(children) };
}

/** A flow without our pivot nodes. */
export interface Remainder {
	/** Undefined if nothing was behind them. */
	flow: IDataObject | undefined;
	/** Why any of our nodes stay; empty if none do. */
	stays: string[];
}

/**
 * Removes our pivot nodes from a flow and moves what is behind each into its place. A node with more children stays.
 */
export function withoutOwnPivots(flow: IDataObject, webserver: string): Remainder {
	const stays: string[] = [];
	const strip = (node: IDataObject): IDataObject | undefined => {
		const rest = withChildren(node, strip);
		if (serviceIn(node) !== webserver) return rest;
		const { _: behind, ...others } = childrenOf(rest);
		if (!Object.values(others).some(isFlow)) return isFlow(behind) ? behind : undefined;
		stays.push('the pivot module now has other children');
		return rest;
	};
	return { flow: strip(flow), stays };
}

function isFlow(value: unknown): value is IDataObject {
	return isObject(value) && Object.keys(value).length > 0;
}
