import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../util/json';
import type { Pivot } from '../types';

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
export function pivotNodesIn(flow: unknown): IDataObject[] {
	const found: IDataObject[] = [];
	const open: unknown[] = [flow];
	for (let node = open.pop(); node !== undefined; node = open.pop()) {
		if (!isObject(node)) continue;
		if (node.module === 'pivot' && isObject(node.data)) found.push(node);
		open.push(...Object.values(childrenOf(node)).reverse());
	}
	return found;
}

/** Returns a flow's branches. */
export function childrenOf({ children }: IDataObject): IDataObject {
	return isObject(children) ? children : {};
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
