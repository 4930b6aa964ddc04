import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';

/** A pivot node of ours in a flow, and the keys of `children` that lead to it. */
export interface OwnPivot {
	node: IDataObject;
	path: string[];
}

/**
 * Finds the pivot node that asks one of the given web services, wherever in the tree someone may have moved it (§2.2).
 *
 * @param webservers hosts with paths, as they stand in a `voice_url`
 */
export function findOwnPivot(flow: unknown, webservers: readonly string[]): OwnPivot | undefined {
	const open: Array<{ node: unknown; path: string[] }> = [{ node: flow, path: [] }];
	for (let current = open.shift(); current; current = open.shift()) {
		const { node, path } = current;
		if (!isObject(node)) continue;
		if (asksOneOf(node, webservers)) return { node, path };
		for (const [key, child] of Object.entries(childrenOf(node)))
			open.push({ node: child, path: [...path, key] });
	}
	return undefined;
}

function asksOneOf(node: IDataObject, webservers: readonly string[]): boolean {
	if (node.module !== 'pivot' || !isObject(node.data) || typeof node.data.voice_url !== 'string')
		return false;
	const webserver = /&webserver=(.*)$/s.exec(node.data.voice_url)?.[1];
	return (
		webserver !== undefined &&
		(webservers.includes(webserver) || webservers.includes(decoded(webserver)))
	);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * Puts a pivot node in front of a flow: the old flow becomes its child, so that it is kept in the PBX itself, and calls
 * go on with it when the web service fails.
 */
export function withPivotInFront(oldFlow: unknown, data: IDataObject): IDataObject {
	return { module: 'pivot', data, children: isFlow(oldFlow) ? { _: oldFlow } : {} };
}

/** Sets parameters of our pivot node and leaves everything else as it is. */
export function withPivotData(flow: IDataObject, own: OwnPivot, data: IDataObject): IDataObject {
	const old = isObject(own.node.data) ? own.node.data : {};
	return replaceAt(flow, own.path, { ...own.node, data: { ...old, ...data } });
}

/**
 * Takes our pivot node out of a flow and puts what was behind it in its place.
 *
 * @param oldFlow a copy of the old flow, for a PBX that lost it; undefined when there is none
 * @returns the flow, or why it cannot be told what belongs in this place
 */
export function withoutOwnPivot(
	flow: IDataObject,
	own: OwnPivot,
	oldFlow: unknown,
): { flow: IDataObject } | { fault: string } {
	const { _: child, ...others } = childrenOf(own.node);
	if (Object.keys(others).length > 0) return { fault: 'the pivot node has further children now' };
	if (isFlow(child)) return { flow: replaceAt(flow, own.path, child) };
	if (own.path.length > 0)
		return { fault: 'the pivot node was moved, and nothing stands behind it' };
	return isObject(oldFlow) ? { flow: oldFlow } : { fault: 'nothing stands behind the pivot node' };
}

/** What stands behind our pivot node: the old flow as the PBX keeps it. */
export function flowBehind(own: OwnPivot): IDataObject | undefined {
	const { _: child } = childrenOf(own.node);
	return isFlow(child) ? child : undefined;
}

function replaceAt(
	node: IDataObject,
	path: readonly string[],
	replacement: IDataObject,
): IDataObject {
	const [key, ...rest] = path;
	if (key === undefined) return replacement;
	const children = childrenOf(node);
	const child = children[key];
	return {
		...node,
		children: { ...children, [key]: replaceAt(isObject(child) ? child : {}, rest, replacement) },
	};
}

function childrenOf(node: IDataObject): IDataObject {
	return isObject(node.children) ? node.children : {};
}

function isFlow(value: unknown): value is IDataObject {
	return isObject(value) && Object.keys(value).length > 0;
}

/**
 * Tells whether the PBX has kept what it was given: every value is there. What it adds by itself is no loss.
 */
export function isKept(given: unknown, found: unknown): boolean {
	if (Array.isArray(given)) {
		if (!Array.isArray(found) || found.length !== given.length) return false;
		return given.every((entry, index) => isKept(entry, (found as unknown[])[index]));
	}
	if (!isObject(given)) return given === found || (given ?? null) === (found ?? null);
	if (!isObject(found)) return Object.keys(given).length === 0 && (found ?? null) === null;
	return Object.entries(given).every(([key, value]) => isKept(value, found[key]));
}
