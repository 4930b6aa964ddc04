import type { IDataObject } from 'n8n-workflow';

import { outputFields, readLimit, readShape, returnAllFields } from '../../fields/output';
import { CDR_FIELDS, SIMPLE_CDR_FIELDS, simplifyCdr } from '../../records/cdr';
import { readCdrs } from '../../records/readCdrs';
import type { Operation, OperationItem } from '../contract';
import { readSearch, searchFields, searchOptions } from './search';

/** GET `cdrs` with a range and filters (§4.3). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many call records',
	description: 'Get call records (CDRs) of the account by time, caller, or any other field',
	kind: 'read',
	fields: [
		...returnAllFields,
		...searchFields,
		...outputFields([...SIMPLE_CDR_FIELDS, ...CDR_FIELDS]),
		searchOptions,
	],
	output: 'One item per call record, that is, per leg of a call',
	async execute({ context, itemIndex, pbx }) {
		const limit = readLimit(context, itemIndex);
		const search = readSearch({ context, itemIndex });
		const shape = readShape(context, itemIndex, simplifyCdr);
		return inPlace(await readCdrs(await pbx(), search, limit), shape);
	},
};

/** Makes items of records in the array where they lie: there may be very many. */
function inPlace(
	records: IDataObject[],
	shape: (record: IDataObject) => IDataObject,
): OperationItem[] {
	const items = records as unknown as OperationItem[];
	for (let index = 0; index < items.length; index++) {
		items[index] = { json: shape(records[index] ?? {}) };
	}
	return items;
}
