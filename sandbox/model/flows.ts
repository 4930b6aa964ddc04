import type { Settings } from './settings';
import type { FlowNode } from './types';

/** Defaults that a stock Kazoo writes from its schemas into the data of modules. */
const DEFAULTS: Record<string, Record<string, unknown>> = {
	user: { delay: 0, strategy: 'simultaneous', timeout: 20 },
	pivot: { debug: false, method: 'get', req_format: 'kazoo' },
	voicemail: { action: 'compose', interdigit_timeout: 2000, max_message_length: 500 },
};

const withDefaults = (node: FlowNode): FlowNode => ({
	...node,
	data: { ...DEFAULTS[node.module], ...node.data },
	children: Object.fromEntries(
		Object.entries(node.children).map(([key, child]) => [key, withDefaults(child)]),
	),
});

/** The contract's form of a pivot module's address (§2.2). */
const DFLOW = /^\{dflow\}&callflow_id=(.+)&webserver=(.+)$/;

/** Returns the address of a seeded pivot module in the form that a PBX with these settings takes. */
export const seededAddress = (
	value: string,
	{ voice_urls: form }: Pick<Settings, 'voice_urls'>,
): string =>
	form === 'http'
		? value.replace(DFLOW, (_, id, server) => `http://${server}?callflow_id=${id}`)
		: value;

/** Returns a flow as a PBX with these settings stores it. */
export const storedFlow = (flow: FlowNode, { profile }: Settings): FlowNode =>
	profile === 'kazoo' ? withDefaults(flow) : flow;

/**
 * Returns the name of the platform's own response format (§2.2 `req_format`). A stock Kazoo has the
 * same on every platform.
 */
export const ownFormat = ({ profile, platform }: Settings): string =>
	profile === 'kazoo' ? 'kazoo' : platform;
