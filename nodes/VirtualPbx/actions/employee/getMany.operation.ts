import type { IDataObject } from 'n8n-workflow';

import { defineOptionsCollection } from '../../parameters/options';
import { limit } from '../../parameters/output';
import type { Employee } from '../../pbx/types';
import { fillNulls } from '../../util/json';
import type { Operation } from '../operation';
import { itemsOf } from '../operation';

/** GET `users` and `devices`, which the contract doesn't have. */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many employees',
	description: 'Get who has which extension, with names, email addresses, and phones',
	kind: 'read',
	parameters: [...limit.parameters, defineOptionsCollection()],
	output: 'One item per employee: extension, name, email, devices, and the user ID',
	async execute(call) {
		const most = limit.read(call);
		const { employees } = await call.pbx();
		return itemsOf((await employees.list({ limit: most })).map(shownEmployee));
	},
};

export function shownEmployee({ id, extension, name, email, devices }: Employee): IDataObject {
	return {
		...fillNulls({ extension, name, email }),
		devices: devices.map((device) => {
			const { id: deviceId, name: label, username, type, enabled } = device;
			return fillNulls({ id: deviceId, name: label, username, type, enabled });
		}),
		id,
	};
}
