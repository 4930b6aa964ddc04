import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../values/json';
import { checkStep, kindOf } from './step';

/** How deep an answer may be wrapped: text in an object in a list, and some more. */
const MAX_WRAPPINGS = 6;

/** An answer after checking. */
export interface CheckedAnswer {
	/** The answer as it may be sent; meaningless while there are problems. */
	answer: IDataObject;
	/** What breaks the rules of §2.3, one sentence each without a full stop; empty when the answer is right. */
	problems: string[];
	/** What was odd and yet understood. */
	notes: string[];
}

/**
 * Brings whatever a workflow gives as an answer to a routing request into the form of §2.3, checked: the object with
 * `operations`, a list, one operation, the same as JSON text, and each as the only field of an object (`{ output: … }`).
 * A single `user` operation stays bare.
 */
export function checkAnswer(value: unknown): CheckedAnswer {
	const found = findSteps(value, MAX_WRAPPINGS);
	if (typeof found === 'string') return unusable(found);
	if (found.steps.length === 0) return unusable('The answer contains no steps');

	const checked = found.steps.map((step, index) => checkStep(step, index + 1));
	const operations = checked.map(({ operation }) => operation);
	const [first] = operations;
	return {
		answer: found.bare && first && isUser(first) ? first : { ...found.around, operations },
		problems: checked.flatMap(({ problems }) => problems),
		notes: found.notes,
	};
}

interface FoundSteps {
	steps: unknown[];
	/** It was one operation without a list around it. */
	bare: boolean;
	/** Fields beside `operations`. */
	around: IDataObject;
	notes: string[];
}

function findSteps(value: unknown, depth: number): FoundSteps | string {
	if (depth === 0 || value === undefined || value === null || value === '')
		return 'There is no answer';
	if (typeof value === 'string') return findInText(value, depth);
	if (Array.isArray(value)) return findInList(value, depth);
	return isObject(value)
		? findInObject(value, depth)
		: 'The answer is not an object with operations';
}

function findInObject(value: IDataObject, depth: number): FoundSteps | string {
	if ('operations' in value) return findInOperations(value, depth);
	if ('type' in value) return { steps: [value], bare: true, around: {}, notes: [] };
	const [only, ...others] = Object.values(value);
	if (only === undefined) return 'There is no answer';
	const wraps =
		others.length === 0 && (isObject(only) || Array.isArray(only) || looksLikeJson(only));
	return wraps ? findSteps(only, depth - 1) : 'The answer has neither operations nor a type';
}

function findInText(text: string, depth: number): FoundSteps | string {
	try {
		return findSteps(JSON.parse(withoutFence(text)) as unknown, depth - 1);
	} catch {
		return 'The answer is text, but not JSON';
	}
}

/** Takes JSON out of the code fence that language models put around it. */
function withoutFence(text: string): string {
	return text.replace(/^\s*```(?:json)?|```\s*$/g, '');
}

function findInOperations(value: IDataObject, depth: number): FoundSteps | string {
	const { operations, ...around } = value;
	const list: unknown = looksLikeJson(operations) ? findInText(operations, depth) : operations;
	if (Array.isArray(list)) return { steps: list as unknown[], bare: false, around, notes: [] };
	if (isObject(list) && Array.isArray(list.steps))
		return { ...(list as unknown as FoundSteps), bare: false, around };
	return 'The field operations must be a list';
}

/** A list of operations, or the items of a node: operations, or whole answers, of which only one can be given. */
function findInList(list: unknown[], depth: number): FoundSteps | string {
	const [first] = list;
	if (list.length === 1 && isObject(first)) {
		const inner = findSteps(first, depth - 1);
		return typeof inner === 'string' ? inner : { ...inner, bare: false };
	}
	if (!list.some((entry) => isObject(entry) && 'operations' in entry)) {
		return { steps: list, bare: false, around: {}, notes: [] };
	}
	const found = findSteps(first, depth - 1);
	if (typeof found === 'string') return found;
	return {
		...found,
		notes: [...found.notes, `${list.length} answers arrived; the first one is used`],
	};
}

function looksLikeJson(value: unknown): value is string {
	return typeof value === 'string' && /^\s*(```|[[{])/.test(value);
}

function isUser(operation: IDataObject): boolean {
	return operation.type === 'extension' || operation.type === 'id';
}

function unusable(problem: string): CheckedAnswer {
	return { answer: {}, problems: [problem], notes: [] };
}

/**
 * Builds the answer of §2.3 from `{ step: [row, …] }` of the step editor, or what an expression gives in its place,
 * checked. A field that the chosen kind does not have, or that is empty, is left out: then the employee's own settings
 * hold (§2.3 rule 2).
 */
export function answerOfSteps(value: unknown): CheckedAnswer {
	const rows = isObject(value) && 'step' in value ? value.step : value;
	if (isObject(rows) && Object.keys(rows).length === 0) return checkAnswer([]);
	if (!Array.isArray(rows)) return checkAnswer(rows);
	return checkAnswer({ operations: (rows as unknown[]).map(operationOfRow) });
}

function operationOfRow(row: unknown): unknown {
	if (!isObject(row)) return row;
	// n8n leaves a default out; what an expression did not give is there, and undefined.
	const kind = kindOf('type' in row ? row.type : 'extension');
	if (!kind) return { type: row.type };
	const values: IDataObject = { ...row, ...(isObject(row.ringing) ? row.ringing : {}) };
	const names = [kind.target, ...(kind.rings ? ['timeout', 'delay', 'strategy'] : [])];
	const fields = names.map((name) => [name, values[name]] as const);
	return {
		type: kind.type,
		...Object.fromEntries(fields.filter(([, value]) => value !== '' && value !== undefined)),
	};
}
