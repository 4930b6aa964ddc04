import type { IDataObject } from 'n8n-workflow';

import { defineOptionsCollection, optionsIn } from '../../parameters/options';
import { defineBoolean, Parameter } from '../../parameters/parameter';
import { employee, readDialed } from '../../parameters/phone';
import type { CallOrder, StartedCall } from '../../pbx/employees';
import { fillNulls } from '../../util/json';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';

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

/** Returns the output item of a started call. */
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
