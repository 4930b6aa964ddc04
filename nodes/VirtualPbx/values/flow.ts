import type { IDataObject } from 'n8n-workflow';

import { isObject } from './json';
import { voiceUrlFault } from './pivot';

/**
 * Checks a callflow tree (§2.2): an object with a module on every node, objects as data and children, and a usable
 * address on pivot nodes.
 *
 * @param flow anything
 * @returns what is wrong first, as a sentence about the place, for example `"children.1": the node has no module`;
 * undefined when nothing is surely wrong
 */
export function flowFault(flow: unknown): string | undefined {
	const open: Array<{ node: unknown; path: string[] }> = [{ node: flow, path: [] }];
	for (let current = open.pop(); current; current = open.pop()) {
		const { node, path } = current;
		const fault = nodeFault(node);
		if (fault !== undefined) return path.length === 0 ? fault : `at "${path.join('.')}": ${fault}`;
		const children = isObject(node) && isObject(node.children) ? Object.entries(node.children) : [];
		for (const [key, child] of children.reverse())
			open.push({ node: child, path: [...path, 'children', key] });
	}
	return undefined;
}

function nodeFault(node: unknown): string | undefined {
	if (!isObject(node)) return 'a flow must be a JSON object';
	const { module, data, children } = node;
	if (typeof module !== 'string' || module.trim() === '') return 'the flow has no "module"';
	if (data !== undefined && !isObject(data)) return '"data" must be a JSON object';
	if (children !== undefined && !isObject(children))
		return '"children" must be a JSON object, {} when there are none';
	return module === 'pivot' ? voiceUrlFault(data?.voice_url) : undefined;
}

/**
 * Fills in what the contract wants on every node (§2.2): `data`, and `children` as an empty object where there are none.
 *
 * @param flow a flow that {@link flowFault} accepts
 * @returns a copy; everything else stays as it is
 */
export function completeFlow(flow: IDataObject): IDataObject {
	const children = isObject(flow.children) ? Object.entries(flow.children) : [];
	return {
		...flow,
		data: flow.data ?? {},
		children: Object.fromEntries(
			children.map(([key, child]) => [key, isObject(child) ? completeFlow(child) : child]),
		),
	};
}

/**
 * Puts a pivot node in the place of a flow's root (§2.2). Where the root is a pivot node already, what the form does
 * not set stays: its children, its flags and further parameters.
 *
 * @param current the flow as it is, or undefined for a new one
 * @param data the pivot parameters to set
 */
export function withPivotRoot(current: unknown, data: IDataObject): IDataObject {
	const root = isObject(current) && current.module === 'pivot' ? current : {};
	const old = isObject(root.data) ? root.data : {};
	return { children: {}, ...root, module: 'pivot', data: { ...old, ...data } };
}
