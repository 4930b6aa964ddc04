import type {
	IHookFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
	NodeTypeAndVersion,
} from 'n8n-workflow';

import { parameterError, triggerScope } from '../../parameters/parameter';
import { answerOfSteps } from '../../pbx/pivot/answer';
import type { Problem } from '../runtime/nodeRuntime';
import {
	assertDeadline,
	connectChoice,
	holdsExpression,
	rawSteps,
	responseMode,
} from './parameters';

/** Refuses a publication that couldn't answer calls, before anything is sent. Throws NodeOperationError. */
export function assertReady(context: IHookFunctions): void {
	assertFixedMode(context);
	assertKnownChoices(context);
	assertFallback(context);
	assertDeadline(context);
	if (context.getActivationMode() === 'manual') return;
	const missing = missingResponder(context);
	if (missing) throw parameterError({ context }, missing.message, missing.remedy ?? '');
}

/** Skips the fallback, whose expressions can depend on the call. Its steps are checked separately. */
function assertKnownChoices(context: IHookFunctions): void {
	const scope = triggerScope(context);
	for (const choice of [connectChoice, responseMode]) choice.read(scope);
}

/** n8n must know the answer's source before it sees the call. */
function assertFixedMode(context: IHookFunctions): void {
	const mode: unknown = context.getNodeParameter('responseMode', 'responseNode', {
		rawExpressions: true,
	});
	if (!holdsExpression(mode)) return;
	const remedy = 'Choose a value, because n8n needs it before the first call.';
	throw parameterError({ context }, "'Respond' must not be an expression", remedy);
}

/** An expression's result isn't known yet, so it is checked as this valid step. */
const SOME_STEP = { type: 'voicemail', extension: '100' };

function assertFallback(context: IHookFunctions): void {
	const step = rawSteps(context).map((row) => (holdsExpression(row) ? SOME_STEP : row));
	const { problems } = answerOfSteps({ step });
	if (problems.length === 0) return;
	throw parameterError(
		{ context },
		`'Fallback' isn't valid: ${problems.join('; ')}`,
		'Callers get the fallback steps if the workflow is slow or fails. Without a step, the PBX would use the old flow or hang up. Add a step, then publish the workflow again.',
	);
}

type Context = IHookFunctions | ITriggerFunctions | IWebhookFunctions;

/** The nodes of n8n, one of which its Respond to Webhook requires before it, from version 1.1 on. */
const REQUIRED_BY_N8N = ['webhook', 'formTrigger', 'chatTrigger', 'wait'];

/**
 * Returns why a workflow set to "Using Respond Operation" can never answer: no node behind the trigger responds. A node
 * in a sub-workflow can't, since n8n passes it no response. Undefined if one might respond, or n8n doesn't show it.
 */
export function missingResponder(context: Context): Problem | undefined {
	if (responseModeOf(context) !== 'responseNode') return undefined;
	const behind = context
		.getChildNodes(context.getNode().name, { includeNodeParameters: true })
		.filter(({ disabled }) => !disabled);
	const tools = behind.flatMap(({ name }) =>
		context.getParentNodes(name, { includeNodeParameters: true, connectionType: 'ai_tool' }),
	);
	const all = [...behind, ...tools.filter(({ disabled }) => !disabled)];
	if (all.some((node) => isRespond(node) || isRespondOfN8n(context, node))) return undefined;
	return {
		subject: 'workflow',
		key: 'missing',
		message: "'Respond' is set to 'Using Respond Operation', but no node after this one responds",
		remedy:
			"Every caller would wait for the fallback. Connect a Virtual PBX node with the operation Routing > Respond, or set 'Respond' to 'When Last Node Finishes' or 'Immediately'.",
	};
}

/** Reads the mode as it stands, since a tick can't resolve an expression. */
function responseModeOf(context: Context): unknown {
	return (context as IHookFunctions).getNodeParameter('responseMode', 'responseNode', {
		rawExpressions: true,
	});
}

/** Returns whether a node can be Routing > Respond. n8n omits the operation if it doesn't know the resource. */
function isRespond({ type, parameters }: NodeTypeAndVersion): boolean {
	if (!/\.virtualPbx(?:Tool)?$/.test(type)) return false;
	const { resource, operation } = parameters ?? { resource: '=' };
	if (isExpression(resource)) return true;
	return resource === 'routing' && (operation === 'respond' || isExpression(operation));
}

/** n8n strips the leading `=` from parameters that don't allow expressions. */
const isExpression = (value: unknown) => typeof value === 'string' && /^=|\{\{/.test(value);

/** Returns whether a node is n8n's Respond to Webhook, and responds after this trigger. */
function isRespondOfN8n(
	context: Context,
	{ name, type, typeVersion }: NodeTypeAndVersion,
): boolean {
	if (type !== 'n8n-nodes-base.respondToWebhook') return false;
	return (
		typeVersion < 1.1 ||
		context
			.getParentNodes(name)
			.some((parent) => REQUIRED_BY_N8N.includes(parent.type.split('.').at(-1) ?? ''))
	);
}
