import type { IDataObject } from 'n8n-workflow';

import { optionsIn } from '../../parameters/options';
import type { ItemScope } from '../../parameters/parameter';
import { defineBoolean } from '../../parameters/types';
import type { Pbx } from '../../pbx/client';
import { isObject } from '../../util/json';

export const lookUpNames = defineBoolean({
	displayName: 'Look Up Employee Names',
	name: 'lookUpNames',
	type: 'boolean',
	default: false,
	description:
		"Whether to fill in employeeName from the PBX's list of employees if a call doesn't have it. Needs 'Include Details'.",
});

/**
 * Returns a function that fills in the name of a call's employee, by extension or SIP user, in the item itself. The
 * employees are listed once per execution. Throws PbxError if the PBX doesn't list any.
 */
export async function employeeNames(
	at: ItemScope,
	{ employees }: Pbx,
): Promise<(item: IDataObject) => IDataObject> {
	if (!lookUpNames.read(optionsIn(at))) return (item) => item;
	const names = new Map<string, Set<string>>();
	for (const { extension, name, devices } of await employees.list())
		for (const user of [extension, ...devices.map(({ username }) => username)])
			if (user !== undefined && name !== undefined)
				names.set(user, (names.get(user) ?? new Set()).add(name));
	return (item) => {
		const [name, ...others] = names.get(String(item.employee)) ?? [];
		const place = isObject(item.details) ? item.details : item;
		if (place.employeeName === null && name !== undefined && others.length === 0)
			place.employeeName = name;
		return item;
	};
}
