import type { Cluster } from '../../../tools/n8n';

/** Carries the shared n8n from jest's set-up to its tear-down, which are loaded apart from each other. */
export const shared = ((globalThis as { virtualPbxTests?: { n8n?: Cluster } }).virtualPbxTests ??=
	{});
