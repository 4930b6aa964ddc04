import type { IDataObject } from 'n8n-workflow';

import { isObject, parseStructure } from '../../util/json';
import { completeFlow, flowFault } from '../callflows/flow';
import { kazooModuleFault, shown } from './kazooModules';

/** How deep an answer can be wrapped: text in an object in a list, and a few more. */
const MAX_WRAPPINGS = 6;

export interface CheckedAnswer {
	/** The answer to send; meaningless while there are problems. */
	answer: IDataObject;
	/** Violations of §2.3, one sentence each without a period; empty if the answer is valid. */
	problems: string[];
	/** Oddities that didn't prevent understanding the answer. */
	notes: string[];
}

/**
 * Converts a workflow's answer to a routing request into the form of §2.3, and checks it. Accepts the object with
 * `operations`, a list, one operation, the same as JSON text, and each as the only field of an object
 * (`{ output: … }`). A single `user` operation stays bare. Can also accept a flow (§2.2), which platforms outside the
 * contract have in place of operations.
 */
export function checkAnswer(value: unknown, mayBeFlow = false): CheckedAnswer {
	const checked = check(value, mayBeFlow);
	if (checked.problems.length > 0) return checked;
	// The value's toJSON could turn an answer into anything.
	const written = asWritten(checked.answer);
	return isObject(written) && check(written, mayBeFlow).problems.length === 0
		? { ...checked, answer: written }
		: unusable(UNWRITABLE);
}

const UNWRITABLE = "The answer can't be written as JSON";

/** The problem of an object that isn't an answer. */
const UNKNOWN_FORM = 'The answer has neither operations nor a type';

function check(value: unknown, mayBeFlow: boolean): CheckedAnswer {
	const found = unwrapped(value, MAX_WRAPPINGS);
	if (found === undefined || found === null || found === '') return unusable('There is no answer');
	if (typeof found === 'string') return unusable('The answer is text, but not JSON');
	if (Array.isArray(found)) return checkList(found, mayBeFlow);
	if (!isObject(found)) return unusable("The answer isn't an object with operations");
	if (isStep(found)) return checkSingle(found);
	if (mayBeFlow && 'module' in found) return checkFlow(found);
	if (!isWholeAnswer(found)) return unusable(UNKNOWN_FORM);
	const { operations, ...around } = found;
	const list = parsed(operations);
	return Array.isArray(list)
		? checkSteps(list, around)
		: unusable('The field operations must be a list');
}

/** Removes a workflow's wrapping around an answer: JSON text, and the only entry or field that holds it. */
function unwrapped(value: unknown, depth: number): unknown {
	const found = parsed(value);
	if (depth === 0 || isStep(found) || isWholeAnswer(found)) return found;
	const isList = Array.isArray(found);
	const [only, ...others]: unknown[] = isList || isObject(found) ? Object.values(found) : [];
	const isAround = isList ? isObject(only) && !isStep(only) : typeof parsed(only) === 'object';
	return isAround && only !== null && others.length === 0 ? unwrapped(only, depth - 1) : found;
}

/** Parses JSON text, even in the code fence that language models put around it; returns anything else as is. */
function parsed(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	return parseStructure(value.replace(/^\s*```(?:json)?|```\s*$/g, '')) ?? value;
}

function isStep(value: unknown): boolean {
	return isObject(value) && 'type' in value && !isWholeAnswer(value);
}

function isWholeAnswer(value: unknown): boolean {
	return isObject(value) && 'operations' in value;
}

/** Checks a list of operations, or a node's items with full answers, of which only one can be returned. */
function checkList(list: unknown[], mayBeFlow: boolean): CheckedAnswer {
	const flows = list.filter((one) => isObject(one) && 'module' in one).length;
	if (mayBeFlow && flows > 1)
		return unusable(
			`The answer contains ${flows} flows; return one, whose "children" hold the next ones`,
		);
	const answers = list.filter(isWholeAnswer);
	if (answers.length === 0) return checkSteps(list);
	const checked = check(answers[0], mayBeFlow);
	if (answers.length === 1) return checked;
	const note = `${answers.length} answers arrived; the first one is used`;
	return { ...checked, notes: [...checked.notes, note] };
}

function checkFlow(flow: IDataObject): CheckedAnswer {
	const fault = flowFault(flow, kazooModuleFault);
	if (fault !== undefined) return unusable(`The flow isn't valid: ${fault}`);
	return { answer: completeFlow(flow), problems: [], notes: [] };
}

function checkSingle(step: IDataObject): CheckedAnswer {
	const checked = checkSteps([step]);
	const [operation = {}] = checked.answer.operations as IDataObject[];
	return ['extension', 'id'].includes(operation.type as string)
		? { ...checked, answer: operation }
		: checked;
}

function checkSteps(steps: unknown[], around: IDataObject = {}): CheckedAnswer {
	if (steps.length === 0) return unusable('The answer contains no steps');
	if (steps.length > MAX_STEPS)
		return unusable(`The answer contains ${steps.length} steps; use at most ${MAX_STEPS}`);
	const checked = steps.map((step, index) => checkStep(step, index + 1));
	const operations = checked.map(({ operation }) => operation);
	const problems = checked.flatMap((one) => one.problems);
	return { answer: { ...around, operations }, problems, notes: [] };
}

/** Far more than a caller waits for. */
const MAX_STEPS = 1000;

function unusable(problem: string): CheckedAnswer {
	return { answer: {}, problems: [problem], notes: [] };
}

/**
 * Builds the answer of §2.3 from the step editor's `{ step: [row, …] }`, or from an expression's value in its place,
 * and checks it. Without times and strategy, the employee's own settings apply (§2.3 rule 2).
 */
export function answerOfSteps(value: unknown): CheckedAnswer {
	const rows = isObject(value) && 'step' in value ? value.step : value;
	if (isObject(rows) && Object.keys(rows).length === 0) return checkAnswer([]);
	if (!Array.isArray(rows)) return checkAnswer(rows);
	return checkAnswer({ operations: (rows as unknown[]).map(operationOfRow) });
}

function operationOfRow(row: unknown): unknown {
	if (!isObject(row)) return row;
	// n8n omits a default. A field that an expression left empty is there, but undefined.
	const { ringing, ...step }: IDataObject = { type: 'extension', ...row };
	for (const name of ['extension', 'id']) {
		const chosen = step[name];
		if (isObject(chosen) && '__rl' in chosen) step[name] = chosen.value;
	}
	return { ...step, ...(isObject(ringing) ? ringing : {}) };
}

/** Returns why a platform that takes operations as they are (§2.3) can't carry out a valid answer; undefined if it can. */
export function contractFault(answer: IDataObject): string | undefined {
	if (isFlowAnswer(answer)) return UNKNOWN_FORM;
	const steps = (answer.operations ?? [answer]) as IDataObject[];
	const at = steps.findIndex(({ type }) => type === HANG_UP);
	if (at < 0) return undefined;
	return `Step ${at + 1} (hang up): this PBX's API has no step that ends a call`;
}

/** Returns an answer without steps, for which the PBX gets an error status and continues with the callflow. */
export function emptyAnswer(): IDataObject {
	return { operations: [] };
}

/** Returns whether an answer has anything for the PBX to do. */
export function holdsSteps({ operations }: IDataObject): boolean {
	return !Array.isArray(operations) || operations.length > 0;
}

/** Returns whether an answer is a flow, as only some platforms take it. */
export function isFlowAnswer(answer: IDataObject): boolean {
	return 'module' in answer;
}

/** Returns an answer with only its valid steps. */
export function withoutFaultySteps({ operations }: IDataObject): IDataObject {
	const valid = (Array.isArray(operations) ? (operations as unknown[]) : []).filter(
		(operation, index) => checkStep(operation, index + 1).problems.length === 0,
	);
	const answer = { operations: valid as IDataObject[] };
	return checkAnswer(answer).problems.length === 0 ? answer : emptyAnswer();
}

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

const HANG_UP = 'hangup';

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
function checkStep(value: unknown, position: number): CheckedStep {
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
		: `'Type' must be one of ${types}, not ${shown(type)}`;
}

function checkTarget({ target, numeric }: StepKind, operation: IDataObject): string | undefined {
	if (target === undefined) return undefined;
	const value = operation[target];
	if (value === undefined) return `'${TARGETS[target]}' is empty`;
	if (typeof value !== 'string' && !isExact(value))
		return `'${TARGETS[target]}' must be ${numeric ? 'a whole number or ' : ''}text, not ${shown(value)}`;
	if (typeof value === 'string' || !numeric) operation[target] = String(value).trim();
	return undefined;
}

function checkSeconds(operation: IDataObject, field: string, label: string): string | undefined {
	const value = operation[field];
	if (value === undefined) return undefined;
	const seconds = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
	if (!isExact(seconds))
		return `'${label}' must be a whole number of seconds of at least 0, not ${shown(value)}`;
	operation[field] = seconds;
	return undefined;
}

function checkStrategy({ strategy }: IDataObject): string | undefined {
	return strategy === undefined || STRATEGIES.includes(strategy)
		? undefined
		: `'Strategy' must be simultaneous or single, not ${shown(strategy)}`;
}

/** Returns whether a target or time is a non-negative exact integer. */
function isExact(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isEmpty(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/** Returns what a receiver reads from a value sent as JSON; undefined if it can't be written as JSON. */
function asWritten(value: unknown): unknown {
	try {
		return JSON.parse(JSON.stringify(value));
	} catch {
		return undefined;
	}
}
