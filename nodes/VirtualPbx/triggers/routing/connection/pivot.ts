import type { IDataObject } from 'n8n-workflow';

import { pivotNodesIn } from '../../../pbx/callflows/pivotModule';
import { asText, isObject, percentDecoded } from '../../../util/json';

/**
 * Finds the pivot nodes that call a web service, by what names the service in their `voice_url` (§2.2): its host and
 * path behind `{dflow}`, or the address itself on platforms that have one there. Starts at the root.
 */
export function ownPivotsIn(flow: unknown, webserver: string): IDataObject[] {
	return pivotNodesIn(flow).filter((node) => serviceIn(node) === webserver);
}

/** Lists what a flow's other pivot nodes call: host and path, or the raw address. */
export function otherWebservers(flow: unknown, webserver: string): string[] {
	const asked = pivotNodesIn(flow)
		.filter((node) => serviceIn(node) !== webserver)
		.map((node) => webserverIn(node) ?? asText((node.data as IDataObject).voice_url));
	return [...new Set(asked)].filter((one) => one !== undefined) as string[];
}

/** Returns whether a web service is named anywhere in a flow, percent-encoded or not. */
export function mentions(flow: IDataObject, webserver: string): boolean {
	return pivotNodesIn(flow).some(({ data }) =>
		percentDecoded(JSON.stringify(data)).includes(webserver),
	);
}

function childrenOf({ children }: IDataObject): IDataObject {
	return isObject(children) ? children : {};
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

/**
 * Returns whether the PBX kept every value. Additions, numbers as texts, and a method in different case are fine
 * (§2.2).
 */
export function isKept(given: unknown, found: unknown, name = ''): boolean {
	if (Array.isArray(given)) {
		if (!Array.isArray(found) || found.length !== given.length) return false;
		return given.every((entry, index) => isKept(entry, (found as unknown[])[index]));
	}
	if (!isObject(given)) return isSameValue(given, found, name);
	if (!isObject(found)) return Object.keys(given).length === 0 && (found ?? null) === null;
	return Object.entries(given).every(([key, value]) => isKept(value, found[key], key));
}

function isSameValue(given: unknown, found: unknown, name: string): boolean {
	if ((given ?? null) === null || (found ?? null) === null || typeof found === 'object')
		return (given ?? null) === (found ?? null);
	const [one, other] = [String(given), String(found)];
	if (one === other) return true;
	return name === 'method' && one.toUpperCase() === other.trim().toUpperCase();
}

/** Returns whether a flow, or one of its branches, contains another flow completely. */
export function holds(flow: IDataObject, given: IDataObject): boolean {
	if (isKept(given, flow)) return true;
	return Object.values(childrenOf(flow)).some((child) => isObject(child) && holds(child, given));
}

/** Returns whether a flow is another one with nodes or parameters missing, but none changed. Ignores additions. */
export function isCutShort(given: IDataObject, found: IDataObject): boolean {
	return !isKept(given, found) && isPartOf(found, given);
}

function isPartOf(found: IDataObject, given: IDataObject): boolean {
	if (found.module !== given.module) return false;
	const data = isObject(given.data) ? given.data : {};
	const shared = Object.entries(isObject(found.data) ? found.data : {}).filter(
		([name]) => name in data,
	);
	if (!shared.every(([name, value]) => isKept(data[name], value, name))) return false;
	const branches = childrenOf(given);
	return Object.entries(childrenOf(found)).every(([key, child]) => {
		const branch = branches[key];
		return isObject(child) && isObject(branch) && isPartOf(child, branch);
	});
}
