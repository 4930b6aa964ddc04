import type { IDataObject } from 'n8n-workflow';

import type { Pbx } from '../pbx/client';
import { isObject } from '../util/json';
import { defineBoolean } from './parameter';

export const lookUpEmployees = defineBoolean({
	displayName: 'Look Up Employees',
	name: 'lookUpEmployees',
	type: 'boolean',
	default: false,
	description:
		"Whether to add employeeEmail to details, and employeeName if a call doesn't have it, from the PBX's list of employees. If the PBX doesn't list any, both stay empty. Needs 'Include Details'.",
});

/** Fills in who an item's employee is, in the item itself. */
export type FillEmployee = (item: IDataObject) => IDataObject;

/**
 * Returns a function that fills in the name and email of a call's employee, by extension or SIP user. `onNone` is called
 * once per client if the PBX doesn't list any. Throws PbxError.
 */
export async function employeeDetails(
	{ employees }: Pbx,
	onNone = () => {},
): Promise<FillEmployee> {
	const find = await employees.directory(onNone);
	return (item) => {
		const place = isObject(item.details) ? item.details : item;
		if (place.employeeName === undefined) return item;
		const { name, email } = find(String(item.employee)) ?? {};
		place.employeeName ??= name ?? null;
		place.employeeEmail = email ?? null;
		return item;
	};
}
