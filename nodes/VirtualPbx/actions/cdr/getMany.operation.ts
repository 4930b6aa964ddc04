import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { simplifyCdr } from '../../calls/recordItem';
import { countVoicemailOption, readNumbersFilter } from '../../parameters/callFilters';
import type { ItemContext } from '../../parameters/inputs';
import { readFields, readFilter, refusal } from '../../parameters/inputs';
import {
	collectionField,
	FILTERS,
	includeDetailsOption,
	optionsField,
	readCountsVoicemail,
	readAccountId,
} from '../../parameters/options';
import { outputFields, readLimit, readShape, returnAllFields } from '../../parameters/output';
import type { TimeRange } from '../../parameters/timeRange';
import { readTimeRange, timeRangeFields } from '../../parameters/timeRange';
import { CDR_FIELDS, cdrText } from '../../pbx/cdrs/cdrFields';
import type { CdrQuery } from '../../pbx/cdrs/readCdrs';
import { readTimedCdrs } from '../../pbx/cdrs/readCdrs';
import { asText, isObject } from '../../util/json';
import type { Operation } from '../contract';
import { inPlace } from '../contract';

const fieldRows: INodeProperties = {
	displayName: 'Other Fields',
	name: 'fields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Field',
	default: {},
	description: 'Other fields of the call records, with the values to match',
	options: [
		{
			displayName: 'Field',
			name: 'field',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. hangup_cause',
					description:
						'Name of the field; nested ones with dots, like custom_channel_vars.owner_id',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. NORMAL_CLEARING',
				},
			],
		},
	],
};

/** The filters of Get Many: caller number, call, and any field by name (§4.3). */
const cdrFilterFields = collectionField(FILTERS, [
	{
		displayName: 'Call ID',
		name: 'callId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 8a3f1c2e@10.0.0.5',
		description: 'Only the legs of this call. Needs After and Before.',
	},
	{
		displayName: 'Caller Number',
		name: 'callerNumber',
		type: 'string',
		default: '',
		placeholder: 'e.g. 74951234567',
		description:
			'Only calls from this number, in any form that the PBX stores. Separate multiple numbers with commas. Use * to match a prefix. Needs After and Before.',
	},
	fieldRows,
]);

/** GET `cdrs` with a range and filters (§4.3). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many call records',
	description: 'Get call records (CDRs) of the account by time, caller, or any other field',
	kind: 'read',
	fields: [
		...returnAllFields,
		...timeRangeFields({ after: 'as far back as the PBX goes', before: 'now' }),
		...outputFields(simplifyCdr({}), CDR_FIELDS),
		cdrFilterFields,
		optionsField(countVoicemailOption, includeDetailsOption),
	],
	output: 'One item per call record, that is, per leg of a call',
	async execute(call) {
		const limit = readLimit(call);
		const countsVoicemail = readCountsVoicemail(call);
		const opened = await call.pbx();
		const search = readSearch(call, opened.country);
		const shape = readShape(call, (record) => simplifyCdr(record, countsVoicemail), opened.country);
		const { records } = await readTimedCdrs(opened, search, { limit });
		return inPlace(records, shape);
	},
};

const KNOWN = new Set<string>(CDR_FIELDS);
/** Filters that work only within a range (§4.3.3), and their names in the node. */
const NEED_RANGE = new Map([
	['bridge_id', 'Call ID'],
	['caller_id_number', 'Caller Number'],
]);

/**
 * Reads After, Before, and {@link cdrFilterFields} (§4.3). A caller is not sent: the PBX compares whole texts, and may keep
 * one caller in several forms. Throws NodeOperationError for a row without name or value, a field named twice, and Call ID
 * or caller without both ends of the range (§4.3.3).
 */
function readSearch(at: ItemContext, country?: string): CdrQuery {
	const range = readTimeRange(at);
	const given = readFields(at, 'filters');
	const callId = readFilter(at, given, 'callId', 'Call ID');
	const field = { name: 'callerNumber', label: 'Caller Number', country };
	const caller = readNumbersFilter(at, given, field);
	const rows = rowsOf(given.fields).map((row) => readRow(at, row));
	if (callId !== undefined) rows.unshift(['bridge_id', callId]);
	const names = [...rows.map(([name]) => name), ...(caller ? ['caller_id_number'] : [])];
	const twice = names.find((name, index) => names.indexOf(name) < index);
	if (twice !== undefined)
		throw refusal(at, `The field ${twice} appears twice in Filters`, 'Remove one of the two.');
	requireRange(at, names, range);
	return {
		...range,
		accountId: readAccountId(at),
		filters: Object.fromEntries(rows.map(([name, value]) => [`filter_${name}`, value])),
		keep: (record) => !caller || caller(cdrText(record, 'CALLER_ID_NUMBER') ?? ''),
	};
}

function readRow(at: ItemContext, row: IDataObject): [name: string, value: string] {
	const name = fieldName(row.name);
	const value = textOf(row.value);
	if (name !== '' && value !== '') return [name, value];
	const lacks = name === '' ? `Value ${value} has no Name` : `Name ${name} has no Value`;
	throw refusal(at, `In Other Fields, ${lacks}`, 'Fill in both, or remove the row.');
}

function requireRange(at: ItemContext, names: string[], { from, to }: TimeRange): void {
	const label = names.map((name) => NEED_RANGE.get(name)).find(Boolean);
	if (label === undefined || (from !== undefined && to !== undefined)) return;
	throw refusal(
		at,
		`The filter ${label} needs both After and Before`,
		'The PBX supports it only within a time range. Fill in After and Before.',
	);
}

function textOf(value: unknown): string {
	return typeof value === 'boolean' ? String(value) : (asText(value) ?? '').trim();
}

function fieldName(value: unknown): string {
	const name = textOf(value).replace(/^filter_/i, '');
	return KNOWN.has(name.toUpperCase()) ? name.toLowerCase() : name;
}

function rowsOf(value: unknown): IDataObject[] {
	return [isObject(value) ? value.field : value].flat().filter(isObject);
}
