import type { IDataObject } from 'n8n-workflow';

import { isObject, parseStructure } from '../../util/json';
import { completeFlow, flowFault } from '../callflows/pivotModule';
import { kazooModuleFault } from '../dialects/kazooModules';
import { asWritten, checkStep, HANG_UP } from './step';

/** How deep an answer can be wrapped: text in an object in a list, and a few more. */
const MAX_WRAPPINGS = 6;

/** An answer after checking. */
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
