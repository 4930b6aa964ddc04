import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { ItemScope } from '../../parameters/parameter';
import { defineOptions, defineRaw, itemScope, parameterError } from '../../parameters/parameter';
import { defineSteps } from '../../parameters/steps';
import type { CheckedAnswer } from '../../pbx/pivot/answer';
import { answerOfSteps, checkAnswer } from '../../pbx/pivot/answer';
import { isObject } from '../../util/json';

const specifyAnswer = defineOptions({
	displayName: 'Specify Answer',
	name: 'specifyAnswer',
	type: 'options',
	options: [
		{ name: 'Using Fields Below', value: 'steps', description: 'Build it step by step' },
		{
			name: 'Using JSON',
			value: 'json',
			description: 'Use JSON, such as the output of an AI agent',
		},
		{
			name: 'Using Kazoo Flow',
			value: 'flow',
			description: "Use any modules of Kazoo. Only if 'API' in the credential is Kazoo.",
		},
	],
	default: 'steps',
	description: 'How to specify the answer. The node validates it either way.',
});

const steps = defineSteps({
	displayName: 'Steps',
	name: 'steps',
	description: 'What the PBX does with the call, in this order',
	displayOptions: { show: { specifyAnswer: ['steps'] } },
});

const json = defineRaw({
	displayName: 'Answer',
	name: 'answer',
	type: 'json',
	default: '={{ $json }}',
	hint: 'One operation or a list of operations',
	description:
		'Operations for the PBX, such as {"operations": [{"type": "extension", "extension": "100"}]}',
	displayOptions: { show: { specifyAnswer: ['json'] } },
});

const flow = defineRaw({
	displayName: 'Flow',
	name: 'flow',
	type: 'json',
	typeOptions: { rows: 6 },
	default:
		'{\n  "module": "resources",\n  "data": { "to_did": "+12125550123" },\n  "children": {}\n}',
	description:
		'Tree of modules: "module" names the action, "data" its parameters, "children" what follows. Modules need the IDs of users, devices, and callflows.',
	displayOptions: { show: { specifyAnswer: ['flow'] } },
});

export const answerParameters = [specifyAnswer, steps, json, flow];

/**
 * Reads an item's parameters as an answer (§2.3). With `ofAllItems`, JSON is read for every input item: one operation
 * each, or whole answers, of which the first one is used. Throws NodeOperationError if the answer isn't valid.
 */
export function readAnswer(at: ItemScope, { ofAllItems = false } = {}): IDataObject {
	const checked = checkedAnswer(at, ofAllItems);
	if (checked.problems.length === 0) return checked.answer;
	throw parameterError(
		at,
		checked.problems.join('; '),
		"Correct the answer. Otherwise, the PBX wouldn't know what to do with the call.",
	);
}

function checkedAnswer(at: ItemScope, ofAllItems: boolean): CheckedAnswer {
	const form = specifyAnswer.read(at);
	if (form === 'flow') return checkAnswer(flow.read(at), true);
	if (form === 'json') return checkAnswer(ofAllItems ? jsonOfAllItems(at) : json.read(at));
	return answerOfSteps(steps.read(at));
}

function jsonOfAllItems({ context }: ItemScope): unknown {
	const answers = context.getInputData().map((_, index) => json.read(itemScope(context, index)));
	return answers.length > 1 ? answers : answers[0];
}

const TRIGGER_TYPE = 'virtualPbxRoutingTrigger';

/** The routing trigger that waits for an answer in this execution. */
interface WaitingTrigger {
	name: string;
	/** Whether it waits for the Respond operation rather than the last node. */
	respondsByNode: boolean;
}

/** Finds the routing trigger that started this execution. Throws NodeOperationError if none waits for this node. */
export function findWaitingTrigger(context: IExecuteFunctions): WaitingTrigger {
	const node = context.getNode();
	const triggers = triggersBefore(context);
	const started = triggers.find(({ name }) => nodeProxy(context, name)?.isExecuted);
	if (!started) {
		throw new NodeOperationError(node, 'No call is waiting for an answer', {
			description:
				triggers.length > 0
					? "The Virtual PBX Call Routing Trigger didn't start this execution. To test the steps without a call, use Build Answer."
					: 'Start this workflow with a Virtual PBX Call Routing Trigger, or use Build Answer if no call is waiting.',
		});
	}
	const { name, parameters } = started;
	const respondsByNode = parameters?.responseMode === 'responseNode';
	const isLast = context.getChildNodes(node.name).length === 0;
	if (parameters?.responseMode === 'onReceived' || !(respondsByNode || isLast)) {
		throw new NodeOperationError(node, `"${name}" doesn't wait for this node`, {
			description: `Open "${name}" and set 'Respond' to 'Using Respond Operation'.`,
		});
	}
	return { name, respondsByNode };
}

function triggersBefore(context: IExecuteFunctions) {
	return context
		.getParentNodes(context.getNode().name, { includeNodeParameters: true })
		.filter(({ type, disabled }) => type.split('.').at(-1) === TRIGGER_TYPE && !disabled);
}

/** Hints at a late answer, as {@link hintAtLateAnswer} does, if this node is the last and a call waits for its output. */
export function hintAtLateOutput(context: IExecuteFunctions): void {
	if (context.getChildNodes(context.getNode().name).length > 0) return;
	const started = triggersBefore(context).find(({ name }) => nodeProxy(context, name)?.isExecuted);
	if (started && (started.parameters?.responseMode ?? 'lastNode') === 'lastNode')
		hintAtLateAnswer(context, started.name);
}

/**
 * Adds a hint to the execution if an answer seems late. Sends it anyway: in queue mode, this machine's clock can be
 * ahead of the process that holds the call. Only that one knows the time, and it logs what the caller got.
 */
export function hintAtLateAnswer(context: IExecuteFunctions, trigger: string): void {
	const item: unknown = nodeProxy(context, trigger)?.first?.();
	const json = isObject(item) && isObject(item.json) ? item.json : {};
	const late = Date.now() - Date.parse(String(json.answerBefore));
	if (!(late > 0) || context.getMode() === 'manual') return;
	context.addExecutionHints({
		message: `By this machine's clock, the answer was ${(late / 1000).toFixed(1)} s late, so the caller probably got the fallback. Make the nodes before this one faster, or increase 'Deadline' in "${trigger}".`,
		type: 'warning',
		location: 'outputPane',
	});
}

interface NodeProxy {
	isExecuted?: boolean;
	first?: () => unknown;
}

/** Returns what an expression sees as `$('name')`, without the cost of evaluating one. */
function nodeProxy(context: IExecuteFunctions, name: string): NodeProxy | undefined {
	const proxy = context.getWorkflowDataProxy(0) as { $?: (nodeName: string) => NodeProxy };
	return proxy.$?.(name);
}
