import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../fields/inputs';
import { refusal } from '../../fields/inputs';
import { optionsField, readAccountId, readOption } from '../../fields/options';
import { outputFields, readLimit, readShape, returnAllFields } from '../../fields/output';
import { readTimeRange, timeRangeFields } from '../../fields/timeRange';
import { CDR_FIELDS, cdrText, SIMPLE_CDR_FIELDS, simplifyCdr } from '../../records/cdr';
import { readCdrs } from '../../records/readCdrs';
import type { Operation, OperationItem } from '../contract';
import { cdrFilterFields, readCdrFilters } from './filters';

const windowOption: INodeProperties = {
	displayName: 'Hours per Request',
	name: 'hoursPerRequest',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description:
		'How many hours of a long range to request at once. The node joins the parts, newest first. With 0, it splits a range only if the PBX refuses it.',
};

/** GET `cdrs` with a range and filters (§4.3). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many call records',
	description: 'Get call records (CDRs) of the account by time, caller, or any other field',
	kind: 'read',
	fields: [
		...returnAllFields,
		...timeRangeFields({
			after: 'as far back as the PBX goes',
			before: 'now',
		}),
		cdrFilterFields,
		...outputFields([...SIMPLE_CDR_FIELDS, ...CDR_FIELDS]),
		optionsField(windowOption),
	],
	output: 'One item per call record, that is, per leg of a call',
	async execute({ context, itemIndex, pbx }) {
		const at = { context, itemIndex };
		const limit = readLimit(context, itemIndex);
		const range = readTimeRange(at);
		const filters = readCdrFilters(at, range);
		const windowSeconds = readWindow(at);
		const shape = readShape(context, itemIndex, simplifyCdr);
		const query = {
			...range,
			windowSeconds,
			itemIndex,
			accountId: readAccountId(context, itemIndex),
		};
		const isWanted = (record: IDataObject) =>
			!filters.caller || filters.caller(cdrText(record, 'CALLER_ID_NUMBER') ?? '');
		const wanted = { ...query, filters: filters.query, keep: isWanted };
		return inPlace(await readCdrs(await pbx(), wanted, limit), shape);
	},
};

function readWindow(at: ItemContext): number {
	const value = readOption(at.context, at.itemIndex, 'hoursPerRequest') ?? 0;
	const hours = Number(value);
	if (hours === 0 || (hours >= 1 / 60 && Number.isFinite(hours))) return Math.round(hours * 3600);
	throw refusal(at, 'Hours per Request must be 0 or more', 'Correct this option, or remove it.');
}

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
