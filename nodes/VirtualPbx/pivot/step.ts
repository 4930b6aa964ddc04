import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';

/** A step after checking: the operation as it may be sent, and what is wrong with it. */
export interface CheckedStep {
	operation: IDataObject;
	/** One sentence each, without a full stop, naming the step; empty when the step is right. */
	problems: string[];
}

/**
 * Checks one operation against §2.3 and brings its values into the types there: number texts of `timeout` and `delay`
 * become integers, number targets of other kinds than `extension` texts. What is empty is left out; unknown fields stay.
 * Positions count from 1.
 */
export function checkStep(value: unknown, position: number): CheckedStep {
	const name = `Step ${position}`;
	if (!isObject(value))
		return { operation: {}, problems: [`${name}: it must be an object with a type`] };
	const kind = kindOf(value.type);
	if (!kind) return { operation: value, problems: [`${name}: ${typeProblem(value.type)}`] };

	const operation: IDataObject = { ...value, type: kind.type };
	for (const field of foreignTo(kind)) delete operation[field];
	const complaints = [checkTarget(kind, operation), ...(kind.rings ? checkRinging(operation) : [])];
	return {
		operation,
		problems: complaints
			.filter((text) => text !== undefined)
			.map((text) => `${name} (${kind.label}): ${text}`),
	};
}

/** Fields of other kinds that mean nothing here, and could mislead a PBX (§2.3: `id` instead of `extension`). */
function foreignTo({ target, rings }: StepKind): string[] {
	const targets = KINDS.map((kind) => kind.target).filter((name) => name !== target);
	return rings ? targets : [...targets, ...Object.keys(RING_TIMES), 'strategy'];
}

function typeProblem(type: unknown): string {
	const types = KINDS.map((known) => known.type).join(', ');
	return isEmpty(type)
		? `Type is empty; use one of ${types}`
		: `Type ${show(type)} is not one of ${types}`;
}

function checkTarget(kind: StepKind, operation: IDataObject): string | undefined {
	const value = operation[kind.target];
	if (isEmpty(value)) return `${kind.targetLabel} is empty`;
	if (typeof value === 'string') {
		operation[kind.target] = value.trim();
		return undefined;
	}
	if (!isWhole(value))
		return `${kind.targetLabel} must be ${kind.numeric ? 'a whole number or ' : ''}text, not ${show(value)}`;
	if (!kind.numeric) operation[kind.target] = String(value);
	return undefined;
}

function checkRinging(operation: IDataObject): Array<string | undefined> {
	const times = Object.entries(RING_TIMES).map(([field, label]) =>
		checkSeconds(operation, field, label),
	);
	return [...times, checkStrategy(operation)];
}

function checkSeconds(operation: IDataObject, field: string, label: string): string | undefined {
	const value = operation[field];
	if (isEmpty(value)) {
		delete operation[field];
		return undefined;
	}
	const seconds = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
	if (!isWhole(seconds))
		return `${label} must be a whole number of seconds of at least 0, not ${show(value)}`;
	operation[field] = seconds;
	return undefined;
}

function checkStrategy(operation: IDataObject): string | undefined {
	const value = operation.strategy;
	if (isEmpty(value)) {
		delete operation.strategy;
		return undefined;
	}
	return STRATEGIES.includes(value)
		? undefined
		: `Strategy must be simultaneous or single, not ${show(value)}`;
}

/** A target or a time is never negative and always an exact integer. */
function isWhole(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isEmpty(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

function show(value: unknown): string {
	const text = JSON.stringify(value) ?? String(value);
	return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

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
const RING_TIMES = { timeout: 'Timeout', delay: 'Delay' } as const;

/** Values of `strategy`: ring all devices at once, or one after the other. */
const STRATEGIES: readonly unknown[] = ['simultaneous', 'single'];

/** Finds a kind by its `type`; undefined for any other value. */
export function kindOf(type: unknown): StepKind | undefined {
	const name = typeof type === 'string' ? type.trim() : type;
	return KINDS.find((known) => known.type === name);
}
