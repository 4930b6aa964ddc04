import type { IDataObject } from 'n8n-workflow';

import { asText, isObject, percentDecoded, withoutUndefined } from '../../util/json';
import { PbxError } from '../errors/pbxError';
import type { Dialect, Pivot } from '../types';

/**
 * Returns the host and path of a web address, or what is wrong with it. The PBX of the contract chooses the scheme
 * itself (§2.2).
 */
export function webserverOf(
	address: string,
): Pick<Pivot, 'webserver' | 'scheme'> | { fault: string } {
	const text = address.trim();
	const scheme = (/^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1] ?? 'https').toLowerCase();
	const bare = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
	const fault = addressFault(scheme, bare);
	if (fault !== undefined) return { fault };

	const { host, pathname } = new URL(`https://${bare}`);
	const portOfHttps = /^[^/]*:0*443(\/|$)/.test(bare) ? ':443' : '';
	const path = pathname === '/' && !bare.endsWith('/') ? '' : pathname;
	return { webserver: host + portOfHttps + path, scheme };
}

function addressFault(scheme: string, bare: string): string | undefined {
	if (bare === '') return 'is empty';
	if (!/^https?$/.test(scheme)) return `must begin with https:// or http://, not ${scheme}://`;
	const breaking = /[?#&]/.exec(bare)?.[0];
	if (breaking) {
		return `must not contain "${breaking}": the PBX appends the address to its own query`;
	}
	if (/[\s{}\\]/.test(bare) || !URL.canParse(`https://${bare}`)) return "isn't a web address";
	const { username, password, host } = new URL(`https://${bare}`);
	// URL parsing turns some Unicode characters into a plain & or { in the host.
	if (/[&{}]/.test(host)) return "isn't a web address";
	return username || password ? 'must not contain a user name or password' : undefined;
}

/** Far more than a caller goes through. Deeper trees overflow the stack of those who walk through them. */
const MAX_DEPTH = 1000;

/**
 * Returns the first fault in a callflow tree (§2.2), such as `at "children.1": the flow has no "module"`: each node
 * needs a module, data and children must be objects, and the tree must not be too deep. `moduleFault` checks more of a
 * node. Undefined if nothing is clearly wrong.
 */
export function flowFault(
	flow: unknown,
	moduleFault: (node: IDataObject) => string | undefined = () => undefined,
): string | undefined {
	const open: Array<{ node: unknown; path: string[] }> = [{ node: flow, path: [] }];
	for (let current = open.pop(); current; current = open.pop()) {
		const { node, path } = current;
		if (path.length / 2 > MAX_DEPTH)
			return `the flow has more than ${MAX_DEPTH} modules one after another`;
		const fault = nodeFault(node) ?? moduleFault(node as IDataObject);
		if (fault !== undefined) return path.length === 0 ? fault : `at "${shortened(path)}": ${fault}`;
		const children = isObject(node) ? Object.entries(childrenOf(node)) : [];
		for (const [key, child] of children.reverse())
			open.push({ node: child, path: [...path, 'children', key] });
	}
	return undefined;
}

/** Keeps both ends of a long path, for messages. */
function shortened(path: string[]): string {
	const parts = path.length > 12 ? [...path.slice(0, 4), '…', ...path.slice(-4)] : path;
	return parts.join('.');
}

function nodeFault(node: unknown): string | undefined {
	if (!isObject(node)) return 'a flow must be a JSON object';
	const { module, data, children } = node;
	if (typeof module !== 'string' || module.trim() === '') return 'the flow has no "module"';
	if (data !== undefined && !isObject(data)) return '"data" must be a JSON object';
	if (children !== undefined && !isObject(children))
		return '"children" must be a JSON object, or {} if there are none';
	return undefined;
}

/** Returns a copy of a valid flow in which every node has `data` and `children`, as the contract requires (§2.2). */
export function completeFlow(flow: IDataObject): IDataObject {
	const children = Object.entries(childrenOf(flow)).map(([key, child]) => [
		key,
		isObject(child) ? completeFlow(child) : child,
	]);
	return { ...flow, data: flow.data ?? {}, children: Object.fromEntries(children) as IDataObject };
}

/** Finds a flow's pivot nodes that have parameters (§2.2), starting at the root. */
function pivotNodesIn(flow: unknown): IDataObject[] {
	const found: IDataObject[] = [];
	const open: unknown[] = [flow];
	for (let node = open.pop(); node !== undefined; node = open.pop()) {
		if (!isObject(node)) continue;
		if (node.module === 'pivot' && isObject(node.data)) found.push(node);
		open.push(...Object.values(childrenOf(node)).reverse());
	}
	return found;
}

function childrenOf({ children }: IDataObject): IDataObject {
	return isObject(children) ? children : {};
}

/** Returns what identifies a web service in a pivot module: host and path, or, on platforms that use one, its URL. */
export function serviceOf(
	{ pivotsByUrl }: Dialect,
	{ scheme, webserver }: Pick<Pivot, 'scheme' | 'webserver'>,
): string {
	return pivotsByUrl ? `${scheme}://${webserver}` : webserver;
}

/**
 * Builds a pivot module's parameters from the values that are set (§2.2). Throws PbxError for a time limit that can't be
 * kept.
 */
export function pivotData(dialect: Dialect, pivot: Pivot, callflowId: string): IDataObject {
	const { method, timeout, format } = pivot;
	const service = serviceOf(dialect, pivot);
	const id = encodeURIComponent(callflowId);
	return withoutUndefined(
		dialect.pivotsByUrl
			? {
					method: method?.toLowerCase(),
					req_timeout_ms: timeout && waitOf(timeout),
					req_format: format,
					voice_url: `${service}?callflow_id=${id}`,
				}
			: {
					method,
					req_timeout: timeout,
					req_format: format,
					voice_url: `{dflow}&callflow_id=${callflowId}&webserver=${service}`,
				},
	);
}

/** Kazoo waits for a web service this long by default, and at most. */
const MAX_WAIT_MS = 5000;

function waitOf(seconds: string): number {
	const ms = Math.round(Number(seconds) * 1000);
	if (ms <= MAX_WAIT_MS) return ms;
	throw new PbxError({
		kind: 'unsent',
		reason: `'Request Timeout (Seconds)' must be at most ${MAX_WAIT_MS / 1000} seconds, not ${seconds}: Kazoo doesn't wait longer`,
		hint: "Shorten 'Request Timeout', and 'Deadline' with it.",
	});
}

/** Puts a pivot node at a flow's root (§2.2). An existing pivot node keeps the values that `data` doesn't set. */
export function withPivotRoot(current: unknown, data: IDataObject): IDataObject {
	const root = pivotRootOf(current) ?? {};
	const old = isObject(root.data) ? root.data : {};
	return { children: {}, ...root, module: 'pivot', data: { ...old, ...data } };
}

/** Returns the pivot node at a flow's root; undefined if the root is another module. */
export function pivotRootOf(flow: unknown): IDataObject | undefined {
	return isObject(flow) && flow.module === 'pivot' ? flow : undefined;
}

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

/** The platform family's format for XML responses, which this package doesn't write. */
const XML = 'twiml';

/** Returns the response format in a pivot module's parameters (§2.2); undefined if there is none that we write. */
export function usableFormat(data: unknown): string | undefined {
	const format = isObject(data) ? asText(data.req_format)?.trim() : undefined;
	return format === undefined || !isUsable(format) ? undefined : format;
}

/** Returns whether this package can write a response format. */
export function isUsable(format: string): boolean {
	return format !== '' && format.toLowerCase() !== XML;
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
export function isWithin(flow: IDataObject, given: IDataObject): boolean {
	if (isKept(given, flow)) return true;
	return Object.values(childrenOf(flow)).some((child) => isObject(child) && isWithin(child, given));
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
