import type { CallFilters } from '../../calls/filter';
import { rejectionReason } from '../../calls/filter';
import { callOfRecords } from '../../calls/record';
import type { Dimension } from '../../calls/statistics';
import { CallStatistics, DIMENSIONS, FOLLOW_UP_MS } from '../../calls/statistics';
import { countVoicemail, defineOptionsCollection } from '../../parameters/options';
import { defineMultiOptions, parameterError } from '../../parameters/parameter';
import { gregorianSoon, readTimeZone } from '../../parameters/timeRange';
import type { Pbx } from '../../pbx/client';
import { numberKey, toE164 } from '../../util/phone';
import { localClock } from '../../util/time';
import type { Operation, OperationCall } from '../operation';
import { itemsOf } from '../operation';
import type { CallsQuery } from './calls';
import { calls, readCallParts } from './calls';

const MAX_DIMENSIONS = 2;
const MAX_GROUPS = 1000;
/** The most callers to tell apart, summed over all groups. Measured: 60 MiB for 40,000 different ones, 150 MiB if all differ. */
const MAX_CALLERS = 1_000_000;

const groupBy = defineMultiOptions<Dimension>({
	displayName: 'Group By',
	name: 'groupBy',
	type: 'multiOptions',
	default: [],
	options: DIMENSIONS.map(({ name, value, description }) => ({ name, value, description })),
	description:
		'What to group calls by, at most two. Returns one item per group that has calls. Empty for one item with the totals of the period.',
}).map((chosen, place) => {
	const all = [...new Set(chosen)];
	if (all.length <= MAX_DIMENSIONS) return all;
	throw parameterError(
		place,
		`'Group By' has ${all.length} entries`,
		`Choose at most ${MAX_DIMENSIONS}. To narrow down the calls further, use 'Filters'.`,
	);
});

/** GET `cdrs` with a range (§4.3): figures of its calls, by group. */
export const getStatistics: Operation = {
	value: 'getStatistics',
	name: 'Get Statistics',
	action: 'Get call statistics',
	description:
		'Count the calls of a period by hour, weekday, day, employee, company number, call type, or outcome: answered, missed, talk time, callers, and how soon missed callers were called back',
	hint: 'For questions that begin with how many, how long, how often, or when: one request returns finished figures, so no calls need to be read and counted.',
	kind: 'read',
	parameters: [groupBy, ...calls.period, calls.filters, defineOptionsCollection(countVoicemail)],
	output: 'One item per group, or one item with the totals',
	async execute(call) {
		const dimensions = groupBy.read(call);
		const clock = localClock(readTimeZone(call));
		const opened = await call.pbx();
		const { country } = opened;
		const { query, filters } = calls.read(call, country);
		const statistics = new CallStatistics({
			groupBy: dimensions,
			countVoicemail: filters.countVoicemail,
			clock,
			keyOf: (number) => numberKey(number, country),
			shown: (number) => (country && toE164(number, country)) || number,
		});
		for await (const added of readInto(statistics, opened, { query, filters }))
			assertBounds(call, added);
		return itemsOf(statistics.items());
	},
};

/** Adds the calls of a period part by part, newest first, and before them those that can be follow-ups. */
async function* readInto(
	statistics: CallStatistics,
	pbx: Pbx,
	{ query, filters }: { query: CallsQuery; filters: CallFilters },
): AsyncGenerator<CallStatistics> {
	const to = Math.max(query.to, Math.min(query.to + FOLLOW_UP_MS / 1000, gregorianSoon()));
	const later = { from: query.to, to, isCounted: false };
	const period = { from: query.from, to: query.to, isCounted: true };
	for (const { isCounted, ...range } of [later, period])
		for await (const part of readCallParts(pbx, { ...query, ...range })) {
			for (const { at, legs, shown } of part) {
				const read = callOfRecords(legs, shown);
				const passes = isCounted && rejectionReason(read, filters) === undefined;
				statistics.add({ call: read, at, isCounted: passes });
			}
			yield statistics;
		}
}

/** Throws NodeOperationError if there are too many groups, or too many callers to tell apart. */
function assertBounds(call: OperationCall, { size, callersKept }: CallStatistics): void {
	if (size <= MAX_GROUPS && callersKept <= MAX_CALLERS) return;
	const what = size > MAX_GROUPS ? `${MAX_GROUPS} groups` : `${MAX_CALLERS} callers`;
	throw parameterError(
		call,
		`There are more than ${what}`,
		"Choose a shorter 'Period', fewer entries in 'Group By', or 'Filters'.",
	);
}
