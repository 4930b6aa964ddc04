/** The kinds of operations in an answer to a routing request (§2.3), by their `type`. */
export type StepType = 'extension' | 'id' | 'device' | 'voicemail' | 'callflow' | 'play';

/** What the contract says about one kind. */
export interface StepKind {
	type: StepType;
	/** In messages, after "Step 2". */
	label: string;
	/** The field that names whom or what. */
	target: 'extension' | 'id' | 'filename';
	targetLabel: string;
	/** Whether the target may be a number, too. */
	numeric: boolean;
	/** Whether it takes `timeout`, `delay` and `strategy`. */
	rings: boolean;
}

const kind = (
	type: StepType,
	label: string,
	target: StepKind['target'],
	rules: { numeric?: boolean; rings?: boolean } = {},
): StepKind => ({
	type,
	label,
	target,
	targetLabel: { extension: 'Extension', id: 'ID', filename: 'File Name' }[target],
	numeric: rules.numeric ?? false,
	rings: rules.rings ?? false,
});

/** All kinds, in the order in which the editor offers them. */
export const KINDS: readonly StepKind[] = [
	kind('device', 'call device', 'id', { rings: true }),
	kind('extension', 'call user by extension', 'extension', { numeric: true, rings: true }),
	kind('id', 'call user by ID', 'id', { rings: true }),
	kind('callflow', 'go to callflow', 'extension'),
	kind('play', 'play file', 'filename'),
	kind('voicemail', 'voicemail', 'extension'),
];

/** Fields of the kinds that ring; both are seconds. */
export const RING_TIMES = { timeout: 'Timeout', delay: 'Delay' } as const;

/** Values of `strategy`: ring all devices at once, or one after the other. */
export const STRATEGIES: readonly unknown[] = ['simultaneous', 'single'];

/** Finds a kind by its `type`; undefined for any other value. */
export function kindOf(type: unknown): StepKind | undefined {
	const name = typeof type === 'string' ? type.trim() : type;
	return KINDS.find((known) => known.type === name);
}
