import type { INodeProperties } from 'n8n-workflow';

import { callflowId, webhookId } from '../parameters/options';
import { get as getAccount } from './account/get.operation';
import { get as getCall } from './call/get.operation';
import { getMany as getManyCalls } from './call/getMany.operation';
import { getMissedCallers } from './call/getMissedCallers.operation';
import { getStatistics } from './call/getStatistics.operation';
import { start as startCall } from './call/start.operation';
import { create as createCallflow } from './callflow/create.operation';
import { getMany as getManyCallflows } from './callflow/getMany.operation';
import { update as updateCallflow } from './callflow/update.operation';
import { upsert as upsertCallflow } from './callflow/upsert.operation';
import { getMany as getManyCdrs } from './cdr/getMany.operation';
import { getMany as getManyEmployees } from './employee/getMany.operation';
import type { Operation, Resource } from './operation';
import { defineDelete, defineGet } from './operation';
import { download } from './recording/download.operation';
import { buildAnswer } from './routing/buildAnswer.operation';
import { respond } from './routing/respond.operation';
import { checkHealth } from './webhook/checkHealth.operation';
import { create as createWebhook } from './webhook/create.operation';
import { deleteLeftovers } from './webhook/deleteLeftovers.operation';
import { getAttempts } from './webhook/getAttempts.operation';
import { getMany as getManyWebhooks } from './webhook/getMany.operation';
import { masked } from './webhook/parameters';
import { update as updateWebhook } from './webhook/update.operation';

const getCallflow = defineGet('callflow', callflowId, {
	description: 'Get one callflow with its flow',
	output: 'The callflow: id, name, numbers, patterns, flow, and other fields that the PBX returns',
});

const webhookTexts = {
	description: 'Get one webhook',
	output:
		'The webhook: id, name, uri, http_verb, hook, retries, custom_data, and other fields that the PBX returns',
};

/** All resources of the action node, in display order. Properties, dispatch, and docs are derived from it. */
export const RESOURCES: readonly Resource[] = [
	{
		value: 'account',
		name: 'Account',
		description: 'Account and user of the credential',
		operations: [getAccount],
		defaultOperation: 'get',
	},
	{
		value: 'call',
		name: 'Call',
		description: 'Call: who called whom, how it ended, its recording, and click to call',
		operations: [getCall, getManyCalls, getMissedCallers, getStatistics, startCall],
		defaultOperation: 'getMany',
	},
	{
		value: 'cdr',
		name: 'Call Record (CDR)',
		description: "Record of one end of a finished call, such as the caller's or a phone's",
		operations: [getManyCdrs],
		defaultOperation: 'getMany',
	},
	{
		value: 'callflow',
		name: 'Callflow',
		description: 'Rules for routing calls',
		operations: [
			createCallflow,
			upsertCallflow,
			defineDelete('callflow', callflowId),
			getCallflow,
			getManyCallflows,
			updateCallflow,
		],
		defaultOperation: 'getMany',
	},
	{
		value: 'employee',
		name: 'Employee',
		description: 'User of the PBX: extension, name, email, and phones',
		operations: [getManyEmployees],
		defaultOperation: 'getMany',
	},
	{
		value: 'recording',
		name: 'Recording',
		description: 'Audio recording of a call',
		operations: [download],
		defaultOperation: 'download',
	},
	{
		value: 'routing',
		name: 'Routing',
		description: 'Response to a routing request: where a live call goes',
		isOffline: true,
		operations: [buildAnswer, respond],
		defaultOperation: 'respond',
	},
	{
		value: 'webhook',
		name: 'Webhook',
		description: 'URL that the PBX sends call events to',
		operations: [
			checkHealth,
			createWebhook,
			defineDelete('webhook', webhookId),
			deleteLeftovers,
			defineGet('webhook', webhookId, webhookTexts, masked),
			getAttempts,
			getManyWebhooks,
			updateWebhook,
		],
		defaultOperation: 'getMany',
	},
];

/** The default resource. Never change it: n8n omits defaults from saved workflows. */
export const DEFAULT_RESOURCE = 'call';

/** Derives the action node's properties: the selectors, and each operation's parameters with their display options. */
export function buildProperties(resources: readonly Resource[]): INodeProperties[] {
	return [
		resourceSelector(resources),
		...resources.map(operationSelector),
		...resources.flatMap((resource) =>
			resource.operations.flatMap((operation) => scopedProperties(resource, operation)),
		),
	];
}

function resourceSelector(resources: readonly Resource[]): INodeProperties {
	return {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ value, name, description }) => ({ value, name, description })),
		default: DEFAULT_RESOURCE,
	};
}

function operationSelector({ value, operations, defaultOperation }: Resource): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: operations.map(({ value: operation, name, action, description, hint }) => ({
			value: operation,
			name,
			action,
			description,
			...(hint !== undefined && { builderHint: { propertyHint: hint } }),
		})),
		default: defaultOperation,
	};
}

function scopedProperties(resource: Resource, operation: Operation): INodeProperties[] {
	return operation.parameters.map(({ property }) => ({
		...property,
		displayOptions: {
			...property.displayOptions,
			// Must come first: n8n stops at the first condition based on an expression, and shows the field.
			show: {
				resource: [resource.value],
				operation: [operation.value],
				...property.displayOptions?.show,
			},
		},
	}));
}
