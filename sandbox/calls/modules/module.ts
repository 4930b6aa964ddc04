import type { Pbx } from '../../model/pbx';
import type { FlowNode } from '../../model/types';
import type { Call } from '../call';

/** Where a call goes after a module: nowhere (it has ended), to the node's child, or to another flow. */
export type Next = 'done' | 'child' | { goto: FlowNode };

/** Runs a callflow module on a call (§2.2 module). */
export type CallflowModule = (call: Call, node: FlowNode, pbx: Pbx) => Promise<Next>;

/** Reads a number from a node's data. Anything else returns the fallback. */
export const numberIn = (node: FlowNode, key: string, fallback: number): number => {
	const value = node.data[key];
	return typeof value === 'number' && value >= 0 ? value : fallback;
};

/** Reads a text from a node's data. */
export const textIn = (node: FlowNode, key: string): string | undefined => {
	const value = node.data[key];
	return typeof value === 'string' ? value : undefined;
};
