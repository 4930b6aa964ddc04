import type { IDataObject, IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { asText, isObject, isPathSegment } from '../util/json';
import type { AddedValues, NumberDefinition, Place, Scope } from './parameter';
import {
	addedIn,
	addedValues,
	defineBoolean,
	defineCollection,
	defineJson,
	defineNumber,
	defineOptionalText,
	defineRaw,
	defineText,
	DELIVERY_OPTIONS,
	OPTIONS,
	Parameter,
	parameterError,
} from './parameter';

/** The account to work in; undefined for the login's own. */
export const accountId = new Parameter(
	{
		displayName: 'Account ID',
		name: 'accountId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 31f5a2d8c04b4e6f9a7d1c3b5e8f0a24',
		description: "Account to use instead of the login's own, such as a sub-account",
	},
	(value, place) => {
		const id = asText(asText(value)?.trim());
		return id && readId('Account ID', id, place);
	},
);

/** Defines the choice of a PBX object, from a searchable list (see methods/listSearch) or by ID. */
function defineLocator(
	displayName: string,
	name: string,
	searchListMethod: string,
	hint = 'Choose one from the list, or enter its ID. If you use an expression, check what it returns for this item.',
): Parameter<string> {
	const list = { searchListMethod, searchable: true };
	const property: INodeProperties = {
		displayName,
		name,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: `${displayName} to work with`,
		modes: [
			{ displayName: 'From List', name: 'list', type: 'list', typeOptions: list },
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. 6a1f9c0e2b7d4835a4c1e0f9d8b7a653',
			},
		],
	};
	return new Parameter(property, (value, place) => {
		const id = asText(isObject(value) ? value.value : value)?.trim() ?? '';
		if (id !== '') return readId(displayName, id, place);
		throw parameterError(place, `'${displayName}' is empty`, hint);
	});
}

/** Reads an ID that becomes part of a path. Throws NodeOperationError naming the parameter if it can't be one. */
function readId(displayName: string, id: string, place: Place): string {
	if (isPathSegment(id)) return id;
	throw parameterError(
		place,
		`'${displayName}' isn't an ID: ${id.slice(0, 100)}`,
		"An ID can't be '..', and has no slashes, braces, percent signs, or control characters. If you use an expression, check what it returns for this item.",
	);
}

/** Defines a callflow selector (§2.2). `hint` says what to do if it is empty. */
export function defineCallflowId(hint?: string): Parameter<string> {
	return defineLocator('Callflow', 'callflowId', 'searchCallflows', hint);
}

export const callflowId = defineCallflowId();

export const webhookId = defineLocator('Webhook', 'webhookId', 'searchWebhooks');

/** Defines the options of a node or operation: the account (§2.2: it is part of the path), and its own. */
export function defineOptionsCollection(...more: readonly Parameter[]): Parameter<AddedValues> {
	return defineCollection(OPTIONS, [accountId, ...more]);
}

/**
 * Defines the options of how the PBX reaches a webhook trigger, for those who run n8n or the PBX: the recurring check,
 * which `check` describes, and the trigger's own.
 */
export function defineDeliveryOptions(
	check: string,
	...more: readonly Parameter[]
): Parameter<AddedValues> {
	return defineCollection(DELIVERY_OPTIONS, [
		...[checkEvery(check), deliveryUrl, skipUrlCheck, startsErrorWorkflow],
		...more,
	]);
}

/** Adds non-empty parameters outside a collection to its values. */
export function withFilledIn(
	{ values, ...place }: AddedValues,
	scope: Scope,
	parameters: readonly Parameter[],
): AddedValues {
	const filledIn = parameters
		.map(({ property: { name } }) => [name, scope.get(name, '')] as const)
		.filter(([, value]) => value !== '');
	return addedValues(place, { ...values, ...Object.fromEntries(filledIn) } as IDataObject);
}

export function optionsIn(scope: Scope): AddedValues {
	return addedIn(scope, 'options');
}

export function deliveryOptionsIn(scope: Scope): AddedValues {
	return addedIn(scope, 'deliveryOptions');
}

/** Reads the account that a node or operation works in; undefined for the login's own. */
export function readAccountId(scope: Scope): string | undefined {
	return accountId.read(optionsIn(scope));
}

/** For options that nothing uses if Simplify is off. An AI agent's tool has no Simplify. */
export const whenSimple: IDisplayOptions = { hide: { '/simplify': [false] } };

export const countVoicemail = defineBoolean({
	displayName: 'Count Voicemail as Missed',
	name: 'countVoicemail',
	type: 'boolean',
	default: true,
	description: 'Whether calls that reached only voicemail or a menu count as missed',
});

/** The same where only simplified items say what was missed. */
export const countVoicemailIfSimple = countVoicemail.with({ displayOptions: whenSimple });

export const includeDetails = defineBoolean({
	displayName: 'Include Details',
	name: 'includeDetails',
	type: 'boolean',
	default: false,
	description:
		"Whether to add the field details, with names, original numbers, each phone's part in the call, and all other PBX data",
});

/** The same beside Simplify: without it, items have what the PBX sent. */
export const includeDetailsIfSimple = includeDetails.with({ displayOptions: whenSimple });

/** Where the PBX calls a trigger if not at n8n's own address. Validated by `deliveryAddress`. */
export const deliveryUrl = defineRaw({
	displayName: 'Delivery URL',
	name: 'deliveryUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. http://hooks.example.com',
	description:
		"Base URL that the PBX should call if it can't reach n8n's webhook URL, such as that of a proxy. It replaces the scheme, host, and port of the URL; n8n adds the path of the webhook.",
});

export const skipUrlCheck = defineBoolean({
	displayName: 'Skip URL Check',
	name: 'skipUrlCheck',
	type: 'boolean',
	default: false,
	description:
		"Whether to publish the workflow even if the PBX doesn't seem able to reach your n8n instance",
});

/** How often an active trigger checks its setup at the PBX. Each trigger describes what that is. */
export const checkMinutes = defineNumber({
	displayName: 'Check Every (Minutes)',
	name: 'checkMinutes',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1440 },
	default: 5,
	isWhole: true,
});

/** Returns {@link checkMinutes} with a description of the check. */
function checkEvery(what: string): Parameter<number> {
	const description = `How often the published trigger ${what}. 0 turns off the recurring check.`;
	return checkMinutes.with({ description });
}

const startsErrorWorkflow = defineBoolean({
	displayName: 'Start Error Workflow',
	name: 'startsErrorWorkflow',
	type: 'boolean',
	default: true,
	description:
		'Whether to start the error workflow, by saving a failed execution, if a check finds a problem',
});

/** How often to check an active trigger, in minutes, 0 for never, and what a finding starts. */
export interface CheckSettings {
	checkMinutes: number;
	startsErrorWorkflow: boolean;
}

/** Reads how to check an active trigger, from its delivery options. Throws NodeOperationError naming the option. */
export function readCheckSettings(delivery: AddedValues): CheckSettings {
	return {
		checkMinutes: checkMinutes.read(delivery),
		startsErrorWorkflow: startsErrorWorkflow.read(delivery),
	};
}

const customDataJson = defineJson({
	displayName: 'Custom Data (JSON)',
	name: 'customData',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"office": "Riga"}',
	description:
		'Data that the PBX adds to every event, as a JSON object. Use text values: numbers and booleans are sent as text, and most PBXs reject nested data.',
});

/**
 * Custom data of a webhook (§2.5). Real platforms accept only text values, so numbers and booleans become texts.
 * Objects and lists stay, since the contract allows them: the PBX decides.
 */
export const customData = customDataJson.map((data) => {
	const asSent = Object.entries(data).map(([name, one]) => [
		name,
		['number', 'boolean'].includes(typeof one) ? String(one) : one,
	]);
	return Object.fromEntries(asSent) as IDataObject;
});

/** Defines how many times the PBX tries to deliver an event (§2.5 `retries`). */
export function defineDeliveryAttempts(
	description: string,
	rule: Pick<NumberDefinition, 'most' | 'remedy'> = {},
): Parameter<number> {
	return defineNumber({
		displayName: 'Delivery Attempts',
		name: 'retries',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 4 },
		default: 2,
		description,
		isWhole: true,
		...rule,
	});
}

/** Defines how the PBX calls a web service (§2.2): method, time limit in seconds with its description, and format. */
export function definePivotRequest(
	[method, timeout, format]: readonly [method: string, timeout: string, format: string],
	timeoutDescription: string,
) {
	return {
		method: defineText({
			displayName: 'Request Method',
			name: method,
			type: 'options',
			options: [
				{ name: 'GET', value: 'GET' },
				{ name: 'POST', value: 'POST' },
			],
			default: 'GET',
			description: 'HTTP method of the requests from the PBX',
			isOpen: true,
		}),
		timeout: defineNumber({
			displayName: 'Request Timeout (Seconds)',
			name: timeout,
			type: 'number',
			typeOptions: { minValue: 0.1 },
			default: 5,
			description: timeoutDescription,
		}),
		format: defineOptionalText({
			displayName: 'Response Format',
			name: format,
			type: 'string',
			default: '',
			placeholder: 'e.g. kazoo',
			description:
				'Name of the response format that your PBX expects. By default, the name of the platform, or else the one that the PBX accepts.',
		}),
	};
}
