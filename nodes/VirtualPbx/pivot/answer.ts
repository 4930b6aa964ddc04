import type { IDataObject } from 'n8n-workflow';

import { isObject, parseStructure } from '../values/json';
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
	const found = unwrapped(value, MAX_WRAPPINGS);
	if (found === undefined || found === null || found === '') return unusable('There is no answer');
	if (typeof found === 'string') return unusable('The answer is text, but not JSON');
	if (Array.isArray(found)) return checkList(found);
	if (!isObject(found)) return unusable('The answer is not an object with operations');
	if (isStep(found)) return checkSingle(found);
	if (!isWhole(found)) return unusable('The answer has neither operations nor a type');
	const { operations, ...around } = found;
	const list = parsed(operations);
	return Array.isArray(list)
		? checkSteps(list, around)
		: unusable('The field operations must be a list');
}

/** Takes away what a workflow put around an answer: JSON text, and the only entry or field that holds it. */
function unwrapped(value: unknown, depth: number): unknown {
	const found = parsed(value);
	if (depth === 0 || isStep(found) || isWhole(found)) return found;
	const isList = Array.isArray(found);
	const [only, ...others]: unknown[] = isList || isObject(found) ? Object.values(found) : [];
	const isAround = isList ? isObject(only) && !isStep(only) : typeof parsed(only) === 'object';
	return isAround && only !== null && others.length === 0 ? unwrapped(only, depth - 1) : found;
}

/** Reads JSON text, also in the code fence that language models put around it; gives everything else as it is. */
function parsed(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	return parseStructure(value.replace(/^\s*```(?:json)?|```\s*$/g, '')) ?? value;
}

function isStep(value: unknown): boolean {
	return isObject(value) && 'type' in value && !isWhole(value);
}

function isWhole(value: unknown): boolean {
	return isObject(value) && 'operations' in value;
}

/** Checks a list of operations, or the items of a node with whole answers, of which only one can be given. */
function checkList(list: unknown[]): CheckedAnswer {
	const answers = list.filter(isWhole);
	if (answers.length === 0) return checkSteps(list);
	const checked = checkAnswer(answers[0]);
	if (answers.length === 1) return checked;
	const note = `${answers.length} answers arrived; the first one is used`;
	return { ...checked, notes: [...checked.notes, note] };
}

function checkSingle(step: IDataObject): CheckedAnswer {
	const { operation } = checkStep(step, 1);
	const checked = checkSteps([step]);
	return ['extension', 'id'].includes(operation.type as string)
		? { ...checked, answer: operation }
		: checked;
}

function checkSteps(steps: unknown[], around: IDataObject = {}): CheckedAnswer {
	if (steps.length === 0) return unusable('The answer contains no steps');
	const checked = steps.map((step, index) => checkStep(step, index + 1));
	const operations = checked.map(({ operation }) => operation);
	const problems = checked.flatMap((one) => one.problems);
	return { answer: { ...around, operations }, problems, notes: [] };
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
