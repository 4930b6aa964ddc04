import type { INodeProperties } from 'n8n-workflow';

import { asText, compareTexts, isObject, isOn } from '../util/json';
import type { ItemContext } from './inputs';
import { AS_IT_STANDS, refusal } from './inputs';

/** The account to work in, for nodes whose options are a collection of their own. */
export const accountOption: INodeProperties = {
	displayName: 'Account ID',
	name: 'accountId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 31f5a2d8c04b4e6f9a7d1c3b5e8f0a24',
	description: "Account to use instead of the login's own, such as a sub-account",
};

/** A field to choose one object of the PBX, from a list with search (see operations/listSearch) or by its ID. */
function locatorField(displayName: string, name: string, search: string): INodeProperties {
	return {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: `${displayName} to work with`,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: search, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. 6a1f9c0e2b7d4835a4c1e0f9d8b7a653',
			},
		],
	};
}

/** Reads the ID of a resource locator, trimmed; throws NodeOperationError when it is empty. */
export function readLocator(at: ItemContext, { name, displayName }: INodeProperties): string {
	const value: unknown = at.context.getNodeParameter(name, at.itemIndex, '', AS_IT_STANDS);
	const id = asText(isObject(value) ? value.value : value)?.trim() ?? '';
	if (id !== '') return id;
	throw refusal(
		at,
		`${displayName} is empty`,
		`Choose one from the list, or enter its ID. If it comes from an expression, check what the expression returns for this item.`,
	);
}

/** The callflow to work with: from the list, or by ID (§2.2). */
export const callflowLocator = locatorField('Callflow', 'callflowId', 'searchCallflows');

/** The webhook to work with: from the list, or by ID (§2.5). */
export const webhookLocator = locatorField('Webhook', 'webhookId', 'searchWebhooks');

/** A collection of inputs, in the order of their names, that a user adds one by one: what one is called, its button says. */
export function collectionField(
	[displayName, name, one]: readonly [displayName: string, name: string, one: string],
	inputs: INodeProperties[],
): INodeProperties {
	const options = [...inputs].sort((a, b) => compareTexts(a.displayName, b.displayName));
	return { displayName, name, type: 'collection', placeholder: `Add ${one}`, default: {}, options };
}

/** The names of the collections that operations have. */
export const ADDITIONAL_FIELDS = ['Additional Fields', 'additionalFields', 'Field'] as const;
export const FILTERS = ['Filters', 'filters', 'Filter'] as const;
export const UPDATE_FIELDS = ['Update Fields', 'updateFields', 'Field'] as const;
const OPTIONS = ['Options', 'options', 'Option'] as const;

/** The options that every operation of the PBX ends with: the account (§2.2: paths carry one), and what it has beside. */
export function optionsField(...more: INodeProperties[]): INodeProperties {
	return collectionField(OPTIONS, [accountOption, ...more]);
}

/** Reads one entry of the options as it stands; undefined where it is not added. */
export function readOption({ context, itemIndex }: ItemContext, name: string): unknown {
	const options = context.getNodeParameter('options', itemIndex, {}, AS_IT_STANDS);
	return isObject(options) ? options[name] : undefined;
}

/** Reads the account that an operation works in; undefined for the login's own. */
export function readAccountId(at: ItemContext): string | undefined {
	return asText(asText(readOption(at, 'accountId'))?.trim());
}

/** Reads Count Voicemail as Missed; on where it is not added. */
export function readCountsVoicemail(at: ItemContext): boolean {
	return isOn(readOption(at, 'countVoicemail') ?? true);
}

/** Whether items have `details`, wherever calls are told. */
export const includeDetailsOption: INodeProperties = {
	displayName: 'Include Details',
	name: 'includeDetails',
	type: 'boolean',
	default: false,
	description:
		'Whether to add the field details, with names, original numbers, legs, and everything else that the PBX tells',
};

/** Where the PBX is to call a trigger, when not at n8n's own address; read by `deliveryAddress`. */
export const deliveryUrlOption: INodeProperties = {
	displayName: 'Delivery URL',
	name: 'deliveryUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. http://hooks.example.com',
	description:
		"Base URL that the PBX should call if it can't reach n8n's webhook URL, such as that of a proxy. It replaces the scheme, host, and port of the URL; n8n adds the path of the webhook.",
};

/** Whether a trigger is published although the PBX seems unable to reach it. */
export const skipUrlCheckOption: INodeProperties = {
	displayName: 'Skip URL Check',
	name: 'skipUrlCheck',
	type: 'boolean',
	default: false,
	description: 'Whether to publish the workflow even if the PBX seems unable to reach this n8n',
};

/** Describes custom data of webhooks, wherever it's set. */
export const CUSTOM_DATA =
	'Static data that the PBX adds to every event, as a JSON object. Most PBXs accept only text as values: numbers and true or false are sent as text, and nested data may be rejected.';

/** How often an active trigger checks what it has set up at the PBX, in words; read by `readCheckSettings`. */
export function checkEveryOption(what: string): INodeProperties {
	return {
		displayName: 'Check Every (Minutes)',
		name: 'checkMinutes',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1440 },
		default: 5,
		description: `How often the published trigger ${what}. 0 turns off the regular check.`,
	};
}

/** Whether what a check finds starts the error workflow; read by `readCheckSettings`. */
export const errorWorkflowOption: INodeProperties = {
	displayName: 'Start Error Workflow',
	name: 'startsErrorWorkflow',
	type: 'boolean',
	default: true,
	description:
		'Whether to start the error workflow if a check finds a problem, by saving a failed execution',
};

/** How the PBX asks a web service (§2.2): method, time limit in seconds with its description, and format. */
export function pivotRequestFields(
	[method, timeout, format]: readonly [method: string, timeout: string, format: string],
	timeoutDescription: string,
): INodeProperties[] {
	return [
		{
			displayName: 'Request Method',
			name: method,
			type: 'options',
			options: [
				{ name: 'GET', value: 'GET' },
				{ name: 'POST', value: 'POST' },
			],
			default: 'GET',
			description: 'HTTP method of the requests from the PBX',
		},
		{
			displayName: 'Request Timeout (Seconds)',
			name: timeout,
			type: 'number',
			typeOptions: { minValue: 0.1 },
			default: 5,
			description: timeoutDescription,
		},
		{
			displayName: 'Response Format',
			name: format,
			type: 'string',
			default: '',
			placeholder: 'e.g. kazoo',
			description:
				'Name of the response format (req_format). By default, the node uses the one of another pivot module in the account or of the platform, or one that the PBX asks for.',
		},
	];
}
