import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../util/json';

/** The field with a step's target, and its name in messages. */
const TARGETS = { extension: 'Extension', id: 'ID', filename: 'File Name' };
const RINGING = ['timeout', 'delay', 'strategy'];
/** Values of `strategy`: ring all devices at once, or one after the other. */
const STRATEGIES: readonly unknown[] = ['simultaneous', 'single'];

/** The contract's rules for one kind of operation (§2.3). */
export interface StepKind {
	type: string;
	/** Follows "Step 2" in messages. */
	label: string;
	/** Undefined for a step without one. */
	target?: keyof typeof TARGETS;
	/** Whether the target can also be a number. */
	numeric?: boolean;
	/** Whether it takes `timeout`, `delay`, and `strategy`. */
	rings?: boolean;
}

/** The step that ends the call. */
export const HANG_UP = 'hangup';

/** All kinds, in the editor's order. */
export const KINDS: readonly StepKind[] = [
	{ type: 'device', label: 'call device', target: 'id', rings: true },
	{
		type: 'extension',
		label: 'call user by extension',
		target: 'extension',
		numeric: true,
		rings: true,
	},
	{ type: 'id', label: 'call user by ID', target: 'id', rings: true },
	{ type: 'callflow', label: 'go to callflow', target: 'extension' },
	// Not in §2.3: only platforms whose answers are rewritten have it, such as Kazoo.
	{ type: HANG_UP, label: 'hang up' },
	{ type: 'play', label: 'play file', target: 'filename' },
	{ type: 'voicemail', label: 'voicemail', target: 'extension' },
];

/** Names the kind of a valid operation in messages. */
export function labelOf({ type }: IDataObject): string {
	return KINDS.find((known) => known.type === type)?.label ?? String(type);
}

/** A checked step: the operation to send, and its problems. */
interface CheckedStep {
	operation: IDataObject;
	/** One sentence each, without a period, naming the step; empty if the step is valid. */
	problems: string[];
}

/**
 * Checks one operation against §2.3 and converts its values to the types there: numeric text in `timeout` and `delay`
 * becomes an integer, and a numeric target of kinds other than `extension` becomes text. Drops empty fields and
 * fields of other kinds, which could mislead a PBX, and keeps unknown ones. Positions start at 1.
 */
export function checkStep(value: unknown, position: number): CheckedStep {
	const name = `Step ${position}`;
	if (!isObject(value))
		return { operation: {}, problems: [`${name}: it must be an object with a type`] };
	if (!isObject(asWritten(value)))
		return { operation: {}, problems: [`${name}: it can't be written as JSON`] };
	const type = typeof value.type === 'string' ? value.type.trim() : value.type;
	const kind = KINDS.find((known) => known.type === type);
	if (!kind) return { operation: value, problems: [`${name}: ${typeProblem(value.type)}`] };

	const operation: IDataObject = { ...value, type: kind.type };
	const own: string[] = [kind.target ?? '', ...(kind.rings ? RINGING : [])];
	for (const field of [...Object.keys(TARGETS), ...RINGING])
		if (!own.includes(field) || isEmpty(operation[field])) delete operation[field];
	const complaints = [
		checkTarget(kind, operation),
		checkSeconds(operation, 'timeout', 'Timeout'),
		checkSeconds(operation, 'delay', 'Delay'),
		checkStrategy(operation),
	];
	return {
		operation,
		problems: complaints
			.filter((text) => text !== undefined)
			.map((text) => `${name} (${kind.label}): ${text}`),
	};
}

function typeProblem(type: unknown): string {
	const types = KINDS.map((known) => known.type).join(', ');
	return isEmpty(type)
		? `'Type' is empty; use one of ${types}`
		: `'Type' must be one of ${types}, not ${show(type)}`;
}

function checkTarget({ target, numeric }: StepKind, operation: IDataObject): string | undefined {
	if (target === undefined) return undefined;
	const value = operation[target];
	if (value === undefined) return `'${TARGETS[target]}' is empty`;
	if (typeof value !== 'string' && !isWhole(value))
		return `'${TARGETS[target]}' must be ${numeric ? 'a whole number or ' : ''}text, not ${show(value)}`;
	if (typeof value === 'string' || !numeric) operation[target] = String(value).trim();
	return undefined;
}

function checkSeconds(operation: IDataObject, field: string, label: string): string | undefined {
	const value = operation[field];
	if (value === undefined) return undefined;
	const seconds = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
	if (!isWhole(seconds))
		return `'${label}' must be a whole number of seconds of at least 0, not ${show(value)}`;
	operation[field] = seconds;
	return undefined;
}

function checkStrategy({ strategy }: IDataObject): string | undefined {
	return strategy === undefined || STRATEGIES.includes(strategy)
		? undefined
		: `'Strategy' must be simultaneous or single, not ${show(strategy)}`;
}

/** Returns whether a target or time is a non-negative exact integer. */
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

/** Returns what a receiver reads from a value sent as JSON; undefined if it can't be written as JSON. */
export function asWritten(value: unknown): unknown {
	try {
		return JSON.parse(JSON.stringify(value));
	} catch {
		return undefined;
	}
}
