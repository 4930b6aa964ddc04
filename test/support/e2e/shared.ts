import type { Cluster } from '../../../tools/n8n';

/** Carries the shared n8n instance from jest's setup to its teardown, which load modules separately. */
export const shared = ((globalThis as { virtualPbxTests?: { n8n?: Cluster } }).virtualPbxTests ??=
	{});
