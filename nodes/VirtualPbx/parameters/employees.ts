import type { IDataObject } from 'n8n-workflow';

import type { Pbx } from '../pbx/client';
import type { Employee } from '../pbx/employees';
import { isNotListed } from '../pbx/employees';
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
 * Returns a function that fills in the name and email of a call's employee, by extension or SIP user. Lists the
 * employees once. `onNone` is called if the PBX doesn't list any. Throws PbxError.
 */
export async function employeeDetails(
	{ employees }: Pbx,
	onNone = () => {},
): Promise<FillEmployee> {
	const known = new Map<string, Set<Employee>>();
	const all = await employees.list().catch((error: unknown) => {
		if (!isNotListed(error)) throw error;
		onNone();
		return [];
	});
	for (const one of all)
		for (const user of [one.extension, ...one.devices.map(({ username }) => username)])
			if (user !== undefined) known.set(user, (known.get(user) ?? new Set()).add(one));
	return (item) => {
		const place = isObject(item.details) ? item.details : item;
		if (place.employeeName === undefined) return item;
		const [only, ...others] = known.get(String(item.employee)) ?? [];
		const { name, email } = others.length === 0 ? (only ?? {}) : {};
		place.employeeName ??= name ?? null;
		place.employeeEmail = email ?? null;
		return item;
	};
}
