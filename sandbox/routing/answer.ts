import type { FlowNode } from '../model/types';
import { mapValues } from '../model/util';

/** The fields of an operation or of a module's data. */
export type Fields = Record<string, unknown>;

/** A rule of §2.3 that a routing answer breaks, with its step (counted from 1) if it has one. */
export interface Problem {
	rule: string;
	message: string;
	step?: number;
}

/** One rule of §2.3 for an operation: its name, its message, and its check. */
type Rule = [rule: string, message: string, holds: (operation: Fields) => boolean];

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isWhole = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

const text = (field: string, message = `\`${field}\` must be a string that is not empty`): Rule => [
	`§2.3 ${field} is a string`,
	message,
	({ [field]: value }) => isText(value),
];

const seconds = (field: string): Rule => [
	`§2.3 ${field} is an integer`,
	`\`${field}\` must be a whole number of seconds, 0 or more`,
	({ [field]: value }) => value === undefined || isWhole(value),
];

const STRATEGIES: unknown[] = [undefined, 'simultaneous', 'single'];
const RINGING: Rule[] = [
	seconds('timeout'),
	seconds('delay'),
	[
		'§2.3 strategy is known',
		'`strategy` must be "simultaneous" or "single"',
		({ strategy }) => STRATEGIES.includes(strategy),
	],
];
const EXTENSION: Rule = [
	'§2.3 extension is a number or string',
	'`extension` must be an internal number, as a number or string',
	({ extension }) => isText(extension) || isWhole(extension),
];

/** The rules for each operation `type` of §2.3. */
const RULES: Record<string, Rule[]> = {
	extension: [EXTENSION, ...RINGING],
	id: [text('id'), ...RINGING],
	device: [text('id'), ...RINGING],
	voicemail: [text('extension')],
	callflow: [text('extension')],
	play: [text('filename', '`filename` must name a file uploaded to the PBX')],
};

const isObject = (value: unknown): value is Fields =>
	value !== null && typeof value === 'object' && !Array.isArray(value);

function checkOperation(operation: unknown, step: number): Problem[] {
	if (!isObject(operation)) {
		return [{ rule: '§2.3 operation is an object', message: 'a step must be an object', step }];
	}
	const type = String(operation.type);
	const rules = Object.hasOwn(RULES, type) ? RULES[type] : undefined;
	if (!rules) {
		const message = `\`type\` must be one of ${Object.keys(RULES).join(', ')}`;
		return [{ rule: '§2.3 type is known', message, step }];
	}
	const broken = rules.filter(([, , holds]) => !holds(operation));
	return broken.map(([rule, message]) => ({ rule, message, step }));
}

/** The operations of a routing answer, and the rules of §2.3 that it breaks. */
export interface CheckedAnswer {
	operations: Fields[];
	problems: Problem[];
	/** The flow of a routing answer in a stock Kazoo's own form. */
	flow?: FlowNode;
}

/** Rejects a whole routing answer for a rule that it breaks. */
export const invalidAnswer = (rule: string, message: string): CheckedAnswer => ({
	operations: [],
	problems: [{ rule, message }],
});

/** Modules of a stock Kazoo that routing answers of people use; it knows more. */
const MODULES = new Set(
	`answer callflow collect_dtmf conference device group hangup language menu park pivot play record_call resources
	response ring_group set_cid sleep temporal_route tts user voicemail`.split(/\s+/),
);

/** Whether fields have the types of a stock Kazoo's schemas. */
const hasRightTypes = ({ id, timeout, delay, strategy }: Fields): boolean =>
	(id === undefined || typeof id === 'string') &&
	[timeout, delay].every((value) => value === undefined || Number.isInteger(value)) &&
	STRATEGIES.includes(strategy);

/** A flow of a routing answer, whose nodes can lack children. */
type SentFlow = Omit<FlowNode, 'children'> & { children?: Record<string, SentFlow> };

const isFlow = (value: unknown): value is SentFlow =>
	isObject(value) &&
	MODULES.has(String(value.module)) &&
	isObject(value.data) &&
	hasRightTypes(value.data) &&
	(value.children === undefined ||
		(isObject(value.children) && Object.values(value.children).every(isFlow)));

const withChildren = ({ children = {}, ...node }: SentFlow): FlowNode => ({
	...node,
	children: mapValues(children, withChildren),
});

/** Reads a routing answer in a stock Kazoo's form, a flow. */
export function checkFlow(answer: unknown): CheckedAnswer {
	if (isFlow(answer)) return { operations: [], problems: [], flow: withChildren(answer) };
	return invalidAnswer('answer is a flow', 'the answer must be a flow `{module, data, children}`');
}

/** Reads a routing answer in either form of §2.3 and checks every rule. */
export function checkAnswer(answer: unknown): CheckedAnswer {
	if (!isObject(answer))
		return invalidAnswer('§2.3 answer is an object', 'the answer must be a JSON object');
	if (!('operations' in answer)) {
		if (answer.type === 'extension' || answer.type === 'id')
			return { operations: [answer], problems: checkOperation(answer, 1) };
		return invalidAnswer(
			'§2.3 bare form is a user operation',
			'without `operations` the answer must be one operation of type "extension" or "id"',
		);
	}
	const { operations } = answer;
	if (!Array.isArray(operations))
		return invalidAnswer('§2.3 operations is an array', '`operations` must be an array');
	if (operations.length === 0)
		return invalidAnswer('§2.3 operations are not empty', '`operations` must contain a step');
	const problems = operations.flatMap((operation, index) => checkOperation(operation, index + 1));
	return { operations, problems };
}
