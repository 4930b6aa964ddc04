import type { INodeProperties } from 'n8n-workflow';

import type { Parameter } from './parameter';
import { defineRaw } from './parameter';

const KIND_OPTIONS = [
	{ value: 'device', name: 'Call Device', description: 'Ring one device by its ID' },
	{
		value: 'extension',
		name: 'Call User by Extension',
		description: "Ring an employee's devices by extension",
	},
	{ value: 'id', name: 'Call User by ID', description: "Ring an employee's devices by user ID" },
	{
		value: 'callflow',
		name: 'Go to Callflow',
		description: 'Continue with another callflow by one of its numbers',
	},
	{
		value: 'hangup',
		name: 'Hang Up',
		description: 'End the call. Only on Kazoo: on other PBXs, callers get the fallback.',
	},
	{
		value: 'play',
		name: 'Play File',
		description: 'Play a sound file that was uploaded to the PBX',
	},
	{
		value: 'voicemail',
		name: 'Voicemail',
		description: "Record a message in an employee's mailbox",
	},
];

const ringing: INodeProperties = {
	displayName: 'Ringing',
	name: 'ringing',
	type: 'collection',
	placeholder: 'Add Setting',
	default: {},
	description: "By default, the employee's settings in the PBX apply",
	displayOptions: { show: { type: ['device', 'extension', 'id'] } },
	options: [
		{
			displayName: 'Delay (Seconds)',
			name: 'delay',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 0 },
			default: 0,
			description: 'How long to wait before the call starts',
		},
		{
			displayName: 'Strategy',
			name: 'strategy',
			type: 'options',
			options: [
				{
					value: 'simultaneous',
					name: 'All at Once',
					description: 'Ring all devices at the same time',
				},
				{
					value: 'single',
					name: 'One After Another',
					description: 'Ring one device after the other',
				},
			],
			default: 'simultaneous',
			description: 'How to ring multiple devices',
		},
		{
			displayName: 'Timeout (Seconds)',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 0 },
			default: 20,
			description: 'How long each device rings',
		},
	],
};

/**
 * Defines a field for some kinds of steps: required for those, and shown but not required if the kind comes from an
 * expression.
 */
function target(types: string[], field: INodeProperties): INodeProperties[] {
	const all = KIND_OPTIONS.map(({ value }) => value);
	return [onlyFor(types, field), { ...field, displayOptions: { hide: { type: all } } }];
}

/** Defines a required field for some kinds of steps. */
function onlyFor(types: string[], field: INodeProperties): INodeProperties {
	const others = KIND_OPTIONS.map(({ value }) => value).filter((type) => !types.includes(type));
	const byExpression = { _cnd: { startsWith: '=' } };
	return {
		...field,
		required: true,
		displayOptions: { hide: { type: [...others, byExpression] } },
	};
}

const extension: INodeProperties = {
	displayName: 'Extension',
	name: 'extension',
	type: 'string',
	default: '',
	placeholder: 'e.g. 100',
	description: 'Extension of the employee or mailbox owner, or a number of the callflow',
};

const id: INodeProperties = {
	displayName: 'ID',
	name: 'id',
	type: 'string',
	default: '',
	placeholder: 'e.g. 9f4c0b7e5d2a4c1b8e6f3a0d7c5b2e19',
	description: 'ID of the user or device in the PBX',
};

/** Turns a field of a kind of step into a list to choose from, in nodes that have a credential. */
function listed(
	field: INodeProperties,
	searchListMethod: string,
): Pick<INodeProperties, 'type' | 'default' | 'modes' | 'placeholder'> {
	const { displayName, name, placeholder = '' } = field;
	const list = { searchListMethod, searchable: true };
	return {
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{ displayName: 'From List', name: 'list', type: 'list', typeOptions: list },
			{ displayName: `By ${displayName}`, name, type: 'string', placeholder },
		],
	};
}

/** The fields of employees. With a list, one whose kind comes from an expression stays text. */
function employeeFields(hasList: boolean): INodeProperties[] {
	const texts = [
		...target(['callflow', 'extension', 'voicemail'], extension),
		...target(['device', 'id'], id),
	];
	if (!hasList) return texts;
	return [
		onlyFor(['extension'], { ...extension, ...listed(extension, 'searchExtensions') }),
		onlyFor(['id'], { ...id, ...listed(id, 'searchUsers') }),
		...target(['callflow', 'voicemail'], extension),
		...target(['device'], id),
	];
}

const stepFields = (hasList: boolean): INodeProperties[] => [
	{
		displayName: 'Action',
		name: 'type',
		type: 'options',
		options: KIND_OPTIONS,
		default: 'extension',
		description: 'What the PBX does in this step',
	},
	...employeeFields(hasList),
	...target(['play'], {
		displayName: 'File Name',
		name: 'filename',
		type: 'string',
		default: '',
		placeholder: 'e.g. welcome.wav',
		description: 'Name of the file in the PBX',
	}),
	ringing,
];

/**
 * Defines the step editor: a list of steps, each of which becomes one operation of the answer (§2.3). Read by
 * `answerOfSteps`. `hasList` for nodes with a credential, which can list employees.
 */
export function defineSteps(
	labels: Pick<INodeProperties, 'name' | 'displayName' | 'description'> & Partial<INodeProperties>,
	hasList = false,
): Parameter {
	return defineRaw({
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add Step',
		default: {},
		options: [{ displayName: 'Step', name: 'step', values: stepFields(hasList) }],
		...labels,
	});
}
