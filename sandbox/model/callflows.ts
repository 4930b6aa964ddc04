import { Documents } from './documents';
import type { Settings } from './settings';
import type { Callflow, FlowNode } from './types';
import { mapValues } from './util';

export class Callflows extends Documents<Callflow> {
	/** Finds the callflow for a dialed number: by number first, stored with `+` or without, then by pattern (§2.2). */
	match(number: string): Callflow | undefined {
		const all = this.all();
		return (
			all.find(({ numbers }) => numbers.includes(number) || numbers.includes(`+${number}`)) ??
			all.find(({ patterns }) => patterns.some((pattern) => new RegExp(pattern).test(number)))
		);
	}

	/** Finds the first number or pattern that another callflow already has. */
	clash({ id, ...wanted }: Pick<Callflow, 'id' | 'numbers' | 'patterns'>) {
		const others = this.all().filter((other) => other.id !== id);
		const found = (['numbers', 'patterns'] as const).flatMap((field) =>
			wanted[field].map((value) => {
				const callflow = others.find((other) => other[field].includes(value));
				return callflow && { field, value, callflow };
			}),
		);
		return found.find((clash) => clash);
	}
}

/** Numbers that a stock Kazoo treats as public. */
const PUBLIC_NUMBER = /^\d{8,}$/;

/** Returns a number as a PBX with these settings stores it. */
export const storedNumber = (number: string, { profile }: Pick<Settings, 'profile'>): string =>
	profile === 'kazoo' && PUBLIC_NUMBER.test(number) ? `+${number}` : number;

/** Defaults that a stock Kazoo writes from its schemas into the data of modules. */
const DEFAULTS: Record<string, Record<string, unknown>> = {
	user: { delay: 0, strategy: 'simultaneous', timeout: 20 },
	pivot: { debug: false, method: 'get', req_format: 'kazoo' },
	voicemail: { action: 'compose', interdigit_timeout: 2000, max_message_length: 500 },
};

const withDefaults = (node: FlowNode): FlowNode => ({
	...node,
	data: { ...DEFAULTS[node.module], ...node.data },
	children: mapValues(node.children, withDefaults),
});

/** Returns a flow as a PBX with these settings stores it. */
export const storedFlow = (flow: FlowNode, { profile }: Settings): FlowNode =>
	profile === 'kazoo' ? withDefaults(flow) : flow;
