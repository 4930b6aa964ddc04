import type { IHookFunctions, NodeTypeAndVersion } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** Nodes of n8n of which its own Respond to Webhook wants one before it, from its version 1.1 on. */
const WANTED_BY_N8N = ['webhook', 'formTrigger', 'chatTrigger', 'wait'];

/**
 * Tells why a workflow set to "Using Respond Operation" could never answer: no node behind the trigger responds. A node in
 * a sub-workflow cannot, since n8n hands it no response.
 *
 * @returns undefined where one may, or where this n8n does not tell
 */
export function missingResponder(
	context: IHookFunctions,
): { message: string; description: string } | undefined {
	if (context.getNodeParameter('responseMode', '') !== 'responseNode') return undefined;
	const behind = context
		.getChildNodes(context.getNode().name, { includeNodeParameters: true })
		.filter(({ disabled }) => !disabled);
	const tools = behind.flatMap(({ name }) =>
		context.getParentNodes(name, { includeNodeParameters: true, connectionType: 'ai_tool' }),
	);
	const all = [...behind, ...tools.filter(({ disabled }) => !disabled)];
	if (all.some((node) => isRespond(node) || isRespondOfN8n(context, node))) return undefined;
	return {
		message: 'Respond is set to "Using Respond Operation", but no node after this one responds',
		description:
			'Every caller would wait for the fallback. Connect a Virtual PBX node with the operation Routing > Respond, or set Respond to "When Last Node Finishes" or "Immediately".',
	};
}

/**
 * Refuses the activation of a workflow that could never answer.
 *
 * @throws NodeOperationError that says what to do
 */
export function requireResponder(context: IHookFunctions): void {
	const missing = missingResponder(context);
	if (!missing) return;
	const { message, description } = missing;
	throw new NodeOperationError(context.getNode(), message, { description });
}

/** What an expression will give is not known yet; n8n drops the operation where it does not know the resource. */
function isRespond({ type, parameters }: NodeTypeAndVersion): boolean {
	if (!/\.virtualPbx(?:Tool)?$/.test(type)) return false;
	const { resource, operation } = parameters ?? { resource: '=' };
	if (isExpression(resource)) return true;
	return resource === 'routing' && (operation === 'respond' || isExpression(operation));
}

/** n8n takes the leading sign away from what may be no expression. */
const isExpression = (value: unknown) => typeof value === 'string' && /^=|\{\{/.test(value);

/** n8n's own node answers only where it finds one of n8n's own triggers before it. */
function isRespondOfN8n(
	context: IHookFunctions,
	{ name, type, typeVersion }: NodeTypeAndVersion,
): boolean {
	if (type !== 'n8n-nodes-base.respondToWebhook') return false;
	return (
		typeVersion < 1.1 ||
		context
			.getParentNodes(name)
			.some((parent) => WANTED_BY_N8N.includes(parent.type.split('.').at(-1) ?? ''))
	);
}
