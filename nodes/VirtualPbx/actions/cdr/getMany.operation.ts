import type { IDataObject } from 'n8n-workflow';

import { simplifyCdr } from '../../calls/record';
import { readNumbers } from '../../parameters/callFilters';
import {
	countVoicemailIfSimple,
	defineOptionsCollection,
	includeDetailsIfSimple,
} from '../../parameters/options';
import { defineOutput, limit, readShape } from '../../parameters/output';
import type { ItemScope, Place } from '../../parameters/parameter';
import {
	defineCollection,
	defineRaw,
	defineText,
	EMPTY_FILTER,
	FILTERS,
	parameterError,
} from '../../parameters/parameter';
import type { TimeRange } from '../../parameters/timeRange';
import { defineTimeRange, readTimeRange } from '../../parameters/timeRange';
import { Cdr, CDR_FIELDS } from '../../pbx/cdrs/cdr';
import type { CdrQuery } from '../../pbx/cdrs/cdrs';
import { asText, isObject } from '../../util/json';
import type { Operation } from '../operation';
import { toItemsInPlace } from '../operation';

const fieldRows = defineRaw({
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
						'Name of the field. Use dots for nested fields, such as custom_channel_vars.owner_id.',
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
}).map((value, place) => {
	const rows = [isObject(value) ? value.field : value].flat().filter(isObject);
	return rows.map((row) => readRow(place, row));
});

const callId = defineText({
	displayName: 'Call ID',
	name: 'callId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 8a3f1c2e@10.0.0.5',
	description: "Only records of this call. Needs 'After' and 'Before'.",
	remedy: EMPTY_FILTER,
});

const callerNumber = defineRaw({
	displayName: 'Caller Numbers',
	name: 'callerNumber',
	type: 'string',
	default: '',
	placeholder: 'e.g. 12125550123, 1212*',
	description:
		"Only calls from these numbers, in any form that the PBX stores. Separate them with commas. Use * to match a prefix. Needs 'After' and 'Before'.",
});

/** The filters of Get Many: caller number, call, and any field by name (§4.3). */
const filters = defineCollection(FILTERS, [callId, callerNumber, fieldRows]);

/** GET `cdrs` with a range and filters (§4.3). */
export const getMany: Operation = {
	value: 'getMany',
	name: 'Get Many',
	action: 'Get many call records',
	description: 'Get call records (CDRs) of the account by time, caller, or any other field',
	kind: 'read',
	parameters: [
		...limit.parameters,
		...defineTimeRange({ after: 'as far back as the PBX goes', before: 'now' }),
		...defineOutput(simplifyCdr(new Cdr({})), CDR_FIELDS),
		filters,
		defineOptionsCollection(countVoicemailIfSimple, includeDetailsIfSimple),
	],
	output: 'One item per call record, that is, per leg of a call',
	async execute(call) {
		const most = limit.read(call);
		const opened = await call.pbx();
		const search = readSearch(call, opened.country);
		const toRaw = ({ original }: Cdr) => original;
		const shape = readShape(call, { toSimple: simplifyCdr, toRaw }, opened.country);
		const records = await opened.cdrs.list(search, { limit: most });
		return toItemsInPlace(records, shape);
	},
};

const KNOWN = new Set<string>(CDR_FIELDS);
/** Filters that only work within a range (§4.3.3). */
const NEED_RANGE = new Map([
	['bridge_id', callId],
	['caller_id_number', callerNumber],
]);

/**
 * Reads After, Before, and {@link filters} (§4.3). The caller filter isn't sent: the PBX compares whole texts and can
 * store one caller in several forms. Throws NodeOperationError for a row without name or value, a duplicate field, and
 * Call ID or caller without both ends of the range (§4.3.3).
 */
function readSearch(at: ItemScope, country?: string): CdrQuery {
	const range = readTimeRange(at);
	const given = filters.read(at);
	const id = callId.readIfAdded(given);
	const caller = readNumbers(callerNumber, given, country);
	const rows = fieldRows.read(given);
	if (id !== undefined) rows.unshift(['bridge_id', id]);
	const names = [...rows.map(([name]) => name), ...(caller ? ['caller_id_number'] : [])];
	const twice = names.find((name, index) => names.indexOf(name) < index);
	if (twice !== undefined)
		throw parameterError(
			at,
			`The field ${twice} appears twice in 'Filters'`,
			'Remove one of the two.',
		);
	requireRange(at, names, range);
	return {
		...range,
		fields: Object.fromEntries(rows),
		keep: caller && ((record) => caller(record.caller?.text ?? '')),
	};
}

function readRow(at: Place, row: IDataObject): [name: string, value: string] {
	const name = fieldName(row.name);
	const value = rowText(row.value);
	if (name !== '' && value !== '') return [name, value];
	const nameless = value === '' ? 'a row is empty' : `the value ${value} has no name`;
	const lacks = name === '' ? nameless : `the name ${name} has no value`;
	throw parameterError(at, `In 'Other Fields', ${lacks}`, 'Fill in both, or remove the row.');
}

function requireRange(at: Place, names: string[], { from, to }: TimeRange): void {
	const filter = names.map((name) => NEED_RANGE.get(name)).find(Boolean);
	if (filter === undefined || (from !== undefined && to !== undefined)) return;
	throw parameterError(
		at,
		`The filter '${filter.property.displayName}' needs both 'After' and 'Before'`,
		"The PBX supports it only within a time range. Fill in 'After' and 'Before'.",
	);
}

function rowText(value: unknown): string {
	return typeof value === 'boolean' ? String(value) : (asText(value) ?? '').trim();
}

function fieldName(value: unknown): string {
	const name = rowText(value).replace(/^filter_/i, '');
	return KNOWN.has(name.toUpperCase()) ? name.toLowerCase() : name;
}
