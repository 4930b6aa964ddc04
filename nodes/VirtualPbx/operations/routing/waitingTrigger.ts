import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { isObject } from '../../values/json';

const TRIGGER_TYPE = 'virtualPbxRoutingTrigger';

/** The routing trigger that waits for an answer in this execution. */
export interface WaitingTrigger {
	name: string;
	/** Whether it waits for the Respond operation, and not for the last node. */
	respondsByNode: boolean;
	/** When the caller gets the fallback, as an ISO time; undefined when the trigger did not say. */
	answerBefore: string | undefined;
}

/** Finds the routing trigger that started this execution; throws NodeOperationError when none waits for this node. */
export function findWaitingTrigger(context: IExecuteFunctions): WaitingTrigger {
	const node = context.getNode();
	const triggers = triggersBefore(context);
	const started = triggers.find(({ name }) => wasExecuted(context, name));
	if (!started) throw cannotRespond(context, triggers.length > 0);

	const mode = started.parameters?.responseMode;
	const respondsByNode = mode === 'responseNode';
	const isLast = context.getChildNodes(node.name).length === 0;
	if (mode === 'onReceived' || !(respondsByNode || isLast)) {
		throw new NodeOperationError(node, `"${started.name}" does not wait for this node`, {
			description: `Open "${started.name}" and set Respond so that it waits for a node that responds.`,
		});
	}
	return { name: started.name, respondsByNode, answerBefore: answerTime(context, started.name) };
}

function triggersBefore(context: IExecuteFunctions) {
	return context
		.getParentNodes(context.getNode().name, { includeNodeParameters: true })
		.filter(({ type, disabled }) => type.split('.').at(-1) === TRIGGER_TYPE && !disabled);
}

/** The same for a last node whose output is the answer: without a call that waits for it nothing is said. */
export function hintAtLateOutput(context: IExecuteFunctions): void {
	if (context.getChildNodes(context.getNode().name).length > 0) return;
	const started = triggersBefore(context).find(({ name }) => wasExecuted(context, name));
	if (!started || (started.parameters?.responseMode ?? 'lastNode') !== 'lastNode') return;
	const { name } = started;
	hintAtLateAnswer(context, { name, answerBefore: answerTime(context, name) });
}

/**
 * Shows in the execution that an answer seems to come too late. It is given all the same: in queue mode this machine's
 * clock may run ahead of that of the process with the caller, which alone knows the time, and logs what the caller got.
 */
export function hintAtLateAnswer(
	context: IExecuteFunctions,
	{ name, answerBefore }: Pick<WaitingTrigger, 'name' | 'answerBefore'>,
): void {
	const late = answerBefore === undefined ? 0 : Date.now() - Date.parse(answerBefore);
	if (!(late > 0) || context.getMode() === 'manual') return;
	context.addExecutionHints({
		message: `According to the clock of this machine, the answer was ${(late / 1000).toFixed(1)} s late, so the caller probably got the fallback steps. Make the nodes before this one faster, or increase the Deadline in "${name}".`,
		type: 'warning',
		location: 'outputPane',
	});
}

function cannotRespond(context: IExecuteFunctions, hasTrigger: boolean): NodeOperationError {
	return new NodeOperationError(context.getNode(), 'No call is waiting for an answer', {
		description: hasTrigger
			? 'This execution was not started by the Virtual PBX Routing Trigger. Use Build Answer to try the steps without a call.'
			: 'Put a Virtual PBX Routing Trigger at the start of this workflow, or use Build Answer if no call waits.',
	});
}

function wasExecuted(context: IExecuteFunctions, name: string): boolean {
	return nodeProxy(context, name)?.isExecuted === true;
}

function answerTime(context: IExecuteFunctions, name: string): string | undefined {
	const item: unknown = nodeProxy(context, name)?.first?.();
	const json = isObject(item) ? item.json : undefined;
	return isObject(json) && typeof json.answerBefore === 'string' ? json.answerBefore : undefined;
}

interface NodeProxy {
	isExecuted?: boolean;
	first?: () => unknown;
}

/** What an expression sees as `$('name')`, without an expression's cost. */
function nodeProxy(context: IExecuteFunctions, name: string): NodeProxy | undefined {
	const proxy = context.getWorkflowDataProxy(0) as { $?: (nodeName: string) => NodeProxy };
	return proxy.$?.(name);
}
