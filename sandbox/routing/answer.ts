import type { Problem } from '../model/routing';
import type { FlowNode } from '../model/types';

type Fields = Record<string, unknown>;

/** One rule of §2.3 for an operation: its name, its message, and its check. */
interface Rule {
	rule: string;
	message: string;
	holds: (operation: Fields) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isWhole = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

const TEXT_EXTENSION: Rule = {
	rule: '§2.3 extension is a string',
	message: '`extension` must be a string that is not empty',
	holds: ({ extension }) => isText(extension),
};

const ID: Rule = {
	rule: '§2.3 id is a string',
	message: '`id` must be a string that is not empty',
	holds: ({ id }) => isText(id),
};

const RINGING: Rule[] = [
	{
		rule: '§2.3 timeout is an integer',
		message: '`timeout` must be a whole number of seconds, 0 or more',
		holds: ({ timeout }) => timeout === undefined || isWhole(timeout),
	},
	{
		rule: '§2.3 delay is an integer',
		message: '`delay` must be a whole number of seconds, 0 or more',
		holds: ({ delay }) => delay === undefined || isWhole(delay),
	},
	{
		rule: '§2.3 strategy is known',
		message: '`strategy` must be "simultaneous" or "single"',
		holds: ({ strategy }) =>
			strategy === undefined || strategy === 'simultaneous' || strategy === 'single',
	},
];

/** The rules for each operation `type` of §2.3. */
const RULES: Record<string, Rule[]> = {
	extension: [
		{
			rule: '§2.3 extension is a number or string',
			message: '`extension` must be an internal number, as a number or string',
			holds: ({ extension }) => isText(extension) || isWhole(extension),
		},
		...RINGING,
	],
	id: [ID, ...RINGING],
	device: [ID, ...RINGING],
	voicemail: [TEXT_EXTENSION],
	callflow: [TEXT_EXTENSION],
	play: [
		{
			rule: '§2.3 filename is a string',
			message: '`filename` must name a file uploaded to the PBX',
			holds: ({ filename }) => isText(filename),
		},
	],
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
	return rules
		.filter(({ holds }) => !holds(operation))
		.map(({ rule, message }) => ({ rule, message, step }));
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
	[timeout, delay].every((seconds) => seconds === undefined || Number.isInteger(seconds)) &&
	[undefined, 'simultaneous', 'single'].includes(strategy as string);

const isFlow = (value: unknown): value is Omit<FlowNode, 'children'> & Partial<FlowNode> =>
	isObject(value) &&
	MODULES.has(String(value.module)) &&
	isObject(value.data) &&
	hasRightTypes(value.data) &&
	(value.children === undefined ||
		(isObject(value.children) && Object.values(value.children).every(isFlow)));

/** Reads a routing answer in a stock Kazoo's form, a flow, whose nodes can lack children. */
export function checkFlow(answer: unknown): CheckedAnswer {
	if (isFlow(answer)) return { operations: [], problems: [], flow: withChildren(answer) };
	return invalidAnswer('answer is a flow', 'the answer must be a flow `{module, data, children}`');
}

function withChildren(node: Omit<FlowNode, 'children'> & Partial<FlowNode>): FlowNode {
	const children = Object.entries(node.children ?? {});
	return {
		...node,
		children: Object.fromEntries(children.map(([key, child]) => [key, withChildren(child)])),
	};
}

/** Reads a routing answer in either form of §2.3 and checks every rule. */
export function checkAnswer(answer: unknown): CheckedAnswer {
	if (!isObject(answer))
		return invalidAnswer('§2.3 answer is an object', 'the answer must be a JSON object');
	if (!('operations' in answer)) {
		const isUser = answer.type === 'extension' || answer.type === 'id';
		if (!isUser) {
			return invalidAnswer(
				'§2.3 bare form is a user operation',
				'without `operations` the answer must be one operation of type "extension" or "id"',
			);
		}
		return { operations: [answer], problems: checkOperation(answer, 1) };
	}
	const { operations } = answer;
	if (!Array.isArray(operations))
		return invalidAnswer('§2.3 operations is an array', '`operations` must be an array');
	if (operations.length === 0)
		return invalidAnswer('§2.3 operations are not empty', '`operations` must contain a step');
	const problems = operations.flatMap((operation, index) => checkOperation(operation, index + 1));
	return { operations, problems };
}
