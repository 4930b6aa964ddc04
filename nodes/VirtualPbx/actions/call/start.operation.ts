import type { IDataObject } from 'n8n-workflow';

import { defineOptionsCollection, optionsIn } from '../../parameters/options';
import type { Place } from '../../parameters/parameter';
import { Parameter, parameterError, defineBoolean } from '../../parameters/parameter';
import type { PhoneChoice, CallOrder, StartedCall } from '../../pbx/employees';
import { asText, isObject, fillNulls } from '../../util/json';
import { withoutPunctuation } from '../../util/party';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';

/** E.164 has 15 digits at most. Without a plus sign, a prefix such as `011` can come before. */
const MOST_DIGITS = { international: 15, dialed: 18 };

/** Reads a number to call. Throws NodeOperationError for a feature code, letters, and anything else that isn't one. */
function readDialed(value: unknown, label: string, place: Place): string {
	const text = asText(value)?.trim() ?? '';
	const number = withoutPunctuation(text.replace(/^tel:/i, ''));
	const fault = faultOf(text, number);
	if (fault === undefined) return number;
	throw parameterError(
		place,
		`'${label}' ${fault}`,
		'Enter a phone number or an extension, such as +1 212 555 0123. If you use an expression, check what it returns for this item.',
	);
}

function faultOf(text: string, number: string): string | undefined {
	if (text === '') return 'is empty';
	if (/[*#]/.test(text)) return "can't contain * or #, which are parts of feature codes";
	const digits = number.replace(/^\+/, '');
	if (!/^\d+$/.test(digits)) return "isn't a phone number";
	const most = number.startsWith('+') ? MOST_DIGITS.international : MOST_DIGITS.dialed;
	return digits.length > most ? `has ${digits.length} digits, more than ${most}` : undefined;
}

const employee = new Parameter<PhoneChoice>(
	{
		displayName: 'Employee',
		name: 'employee',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: 'Whose phone rings first',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: 'searchEmployees', searchable: true },
			},
			{
				displayName: 'By Extension',
				name: 'extension',
				type: 'string',
				placeholder: 'e.g. 101',
			},
			{
				displayName: 'By Device ID',
				name: 'device',
				type: 'string',
				placeholder: 'e.g. 9f4c0b7e5d2a4c1b8e6f3a0d7c5b2e19',
			},
		],
	},
	(value, place) => {
		const { mode, value: chosen } = isObject(value) ? value : { mode: 'extension', value };
		const text = asText(chosen)?.trim() ?? '';
		if (text === '')
			throw parameterError(
				place,
				"'Employee' is empty",
				'Choose one from the list, or enter an extension or a device ID. If you use an expression, check what it returns for this item.',
			);
		if (mode === 'list') {
			const [, kind = 'users', id = text] = /^(users|devices)\/(.+)$/.exec(text) ?? [];
			return kind === 'users' ? { userId: id } : { deviceId: id };
		}
		if (mode === 'device') return { deviceId: text };
		if (/^\d{1,10}$/.test(text)) return { extension: text };
		throw parameterError(
			place,
			`'Employee' must be an extension of up to 10 digits, not "${text.slice(0, 40)}"`,
			'Enter an extension such as 101, without spaces, letters, * or #.',
		);
	},
);

const number = new Parameter(
	{
		displayName: 'Number',
		name: 'number',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. +1 212 555 0123',
		description: 'Phone number or extension to call when the employee has picked up',
	},
	(value, place) => readDialed(value, 'Number', place),
);

const callerId = new Parameter(
	{
		displayName: 'Caller ID',
		name: 'callerId',
		type: 'string',
		default: '',
		placeholder: 'e.g. +1 212 555 0100',
		description:
			"Number of your company to show to the other end, if the PBX allows it. By default, the employee's caller ID in the PBX.",
	},
	(value, place) => (value === '' ? undefined : readDialed(value, 'Caller ID', place)),
);

const autoAnswer = defineBoolean({
	displayName: 'Auto-Answer',
	name: 'autoAnswer',
	type: 'boolean',
	default: false,
	description:
		"Whether the employee's phone picks up by itself, if it supports that. Employees with several phones pick up themselves.",
});

/** `quickcall` (§10 of interface.md), which the contract doesn't have. */
export const start: Operation = {
	value: 'start',
	name: 'Start',
	action: 'Start call',
	description:
		"Ring an employee's phone, and call a number when they pick up (click to call), if your PBX offers it",
	hint: 'Rings a real phone, and the call can cost money. Use it only if a person asked for this call now. Never repeat it: an error can mean that the phone rings anyway.',
	kind: 'write',
	parameters: [employee, number, defineOptionsCollection(autoAnswer, callerId)],
	output:
		'The started call: callId, number, employee, employeeName, and devices. callId is that of its events, or null if the PBX does not return it',
	async execute(call) {
		const choice = employee.read(call);
		const dialed = number.read(call);
		const options = optionsIn(call);
		const settings = { callerId: callerId.read(options), autoAnswer: autoAnswer.read(options) };
		const { employees } = await call.pbx();
		const phones = await employees.phones(choice);
		const order = { phones, number: dialed, ...settings };
		return itemsOf([startedCall(await employees.call(order), order)]);
	},
};

export function startedCall(
	{ callId }: StartedCall,
	{ number: dialed, phones }: Pick<CallOrder, 'number' | 'phones'>,
): IDataObject {
	const { extension, name, devices } = phones;
	return {
		...fillNulls({ callId, number: dialed, employee: extension, employeeName: name }),
		devices: devices.map((device) => fillNulls({ id: device.id, name: device.name })),
	};
}
