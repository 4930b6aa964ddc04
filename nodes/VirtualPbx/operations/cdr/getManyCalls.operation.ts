import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../fields/inputs';
import { refusal } from '../../fields/inputs';
import { readAccountId } from '../../fields/options';
import type { Shape } from '../../fields/output';
import { outputFields, readLimit, readShape, returnAllFields } from '../../fields/output';
import { gregorianSoon, readTimeRange, timeRangeFields } from '../../fields/timeRange';
import type { CallAt } from '../../records/callRange';
import type { CallNote } from '../../records/missedCallers';
import { missedCallers, noteOf } from '../../records/missedCallers';
import type { CallsQuery } from '../../records/readCalls';
import { readCallParts } from '../../records/readCalls';
import { summarizeCall } from '../../records/summary';
import type { Pbx } from '../../transport/pbx';
import { sameNumber } from '../../values/numbers';
import { inCountry } from '../../values/phone/country';
import { gregorianToUnix } from '../../values/time';
import type { Operation, OperationItem } from '../contract';
import { inPlace, itemsOf } from '../contract';
import { readChosenCountry } from './country';
import { callFilterFields, readCallFilters } from './callFilters';
import { readWindow, searchOptions } from './search';

const DAY = 86_400;
const DEFAULT_DAYS = 31;
const MOST_DAYS = 366;

const returnField: INodeProperties = {
	displayName: 'Return',
	name: 'returns',
	type: 'options',
	default: 'calls',
	description: 'What to return',
	options: [
		{ name: 'Calls', value: 'calls', description: 'One item per call' },
		{
			name: 'Missed Callers',
			value: 'missedCallers',
			description: "One item per external caller who didn't reach anyone, with any follow-up",
		},
		{
			name: 'Missed Callers Not Called Back',
			value: 'openMissedCallers',
			description: "Only callers who haven't been called back and haven't gotten through since",
		},
	],
};

/** Simplify and Output, which missed callers have no use for: they are made of many calls. */
const callOutputFields = outputFields(summarizeCall([{}])).map((field) => ({
	...field,
	displayOptions: {
		...field.displayOptions,
		show: { returns: ['calls'], ...field.displayOptions?.show },
	},
}));

/** GET `cdrs` with a range (§4.3), the legs joined to calls. */
export const getManyCalls: Operation = {
	value: 'getManyCalls',
	name: 'Get Many Calls',
	action: 'Get many calls',
	description:
		'Get the calls of a time range, each with all its legs, or the callers whom nobody answered',
	kind: 'read',
	fields: [
		returnField,
		...returnAllFields,
		...timeRangeFields({
			after: `${DEFAULT_DAYS} days before Before, and at most ${MOST_DAYS}`,
			before: 'one hour from now',
		}),
		callFilterFields,
		...callOutputFields,
		searchOptions,
	],
	output: 'One item per call, as Get Call returns it, or one per missed caller',
	async execute({ context, itemIndex, pbx }) {
		const at = { context, itemIndex };
		const returns = readReturns(at);
		const limit = readLimit(context, itemIndex);
		const opened = await pbx();
		const country = readChosenCountry(at, opened);
		const query = readQuery(at, country);
		const summarize = (legs: readonly IDataObject[]) => inCountry(summarizeCall(legs), country);
		if (returns !== 'calls') {
			const callers = await readMissed(opened, query, summarize, country);
			const isOpen = ({ status }: IDataObject) => returns === 'missedCallers' || status === 'open';
			return itemsOf(callers.filter(isOpen).slice(0, limit));
		}
		const shape = readShape(context, itemIndex, ({ legs }) => summarize(legs as IDataObject[]));
		return await readItems(opened, query, limit, shape);
	},
};

function readReturns(at: ItemContext): string {
	const value = String(at.context.getNodeParameter('returns', at.itemIndex, 'calls'));
	const known = (returnField.options ?? []).map((option) => 'value' in option && option.value);
	if (known.includes(value)) return value;
	throw refusal(at, `Return has no choice "${value}"`, 'Choose one from the list.');
}

function readQuery(at: ItemContext, country: string | undefined): CallsQuery {
	const range = readTimeRange(at, Math.floor);
	const to = range.to ?? Math.max(gregorianSoon(), range.from ?? 0);
	const from = range.from ?? to - DEFAULT_DAYS * DAY;
	if (to - from > MOST_DAYS * DAY) {
		throw refusal(
			at,
			`After is more than ${MOST_DAYS} days before Before`,
			'Choose a later After, or read the range in parts.',
		);
	}
	return {
		from,
		to,
		windowSeconds: readWindow(at) || Infinity,
		accountId: readAccountId(at.context, at.itemIndex),
		itemIndex: at.itemIndex,
		keep: readCallFilters(at, country),
	};
}

async function readItems(
	pbx: Pbx,
	query: CallsQuery,
	limit: number | undefined,
	shape: Shape,
): Promise<OperationItem[]> {
	let items: OperationItem[] = [];
	for await (const calls of readCallParts(pbx, query, limit)) {
		items = items.concat(inPlace(calls, ({ bridgeId = null, legs }) => shape({ bridgeId, legs })));
	}
	return items;
}

/** Reads on from the range to now: that is when somebody called back. Filters choose only the calls that count. */
async function readMissed(
	pbx: Pbx,
	query: CallsQuery,
	summarize: (legs: readonly IDataObject[]) => IDataObject,
	country: string | undefined,
): Promise<IDataObject[]> {
	const { from, to, keep = () => true } = query;
	const end = Math.max(to, Math.min(gregorianSoon(), from + MOST_DAYS * DAY));
	const endMs = gregorianToUnix(to) * 1000;
	const counts = ({ at, legs }: CallAt) => at < endMs && keep(legs);
	let notes: CallNote[] = [];
	for await (const calls of readCallParts(pbx, { ...query, to: end, keep: undefined })) {
		notes = notes.concat(calls.map((call) => noteOf(summarize(call.legs), counts(call))));
	}
	return missedCallers(notes, (number) => sameNumber(number, country));
}
