import type { Cluster, N8nProcess } from '../../../tools/n8n';

/** Carries the shared n8n from jest's set-up to its tear-down, which are loaded apart from each other. */
export const shared = ((
	globalThis as { virtualPbxTests?: { n8n?: N8nProcess; cluster?: Cluster } }
).virtualPbxTests ??= {});
