import { measureCdrs } from '../cdrs';
import { claim, rounded } from '../measure';
import type { Aim, Claim, Effort, Measured, Slice } from '../measure';
import type { Spent } from '../memory';
import { median } from '../statistics';

const RECORDS = 100_000;
const READERS = [
	'raw',
	'simplified',
	'httpRequest',
	'httpRequestSplit',
	'floor',
	'undici',
] as const;
const LESS_TIME: Aim = { atMost: 0.8 };
const LESS_MEMORY: Aim = { atMost: 0.7 };

/** Many call records in one go. */
export const cdrs: Slice = {
	name: 'cdrs',
	title: 'Call records: 100,000 in one Get Many',
	method:
		"Each reader in an n8n of its own that has run once and collected its garbage; time is that of the whole execution, memory is the peak of the process above its rest. n8n's HTTP Request node gives one item with all records in it; with Split Out behind it the result is the same as ours. undici with `JSON.parse` runs alone in a process, without n8n. The floor is a custom node that asks by n8n's own helper, which gives it the whole answer parsed, and makes an item of each record.",
	notes:
		'The HTTP Request node alone leaves the records in one item, which no other node can filter, loop over or write to a table; one item per record is what costs, in our node as in Split Out and in the floor. Simplified does what none of the others does: it makes fourteen readable fields of ten, see the hot paths for the time of one.',
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	if (effort === 'light') {
		const { raw, undici } = await measureCdrs(500, ['raw', 'undici'], 1);
		return { claims: [timeClaim(['raw', raw], ['undici', undici], { atMost: 2 })], growth: [] };
	}
	const { undici, httpRequest, httpRequestSplit, floor, ...ours } = await measureCdrs(
		RECORDS,
		READERS,
		5,
	);
	const split: Reader = ['HTTP Request + Split Out', httpRequestSplit];
	const least: Reader = ["n8n's helper (floor)", floor];
	const alone: Reader = ['HTTP Request', httpRequest];
	const claims = Object.entries(ours).flatMap((reader) => [
		timeClaim(reader, split, LESS_TIME),
		timeClaim(reader, alone, LESS_TIME),
		timeClaim(reader, ['undici + JSON.parse', undici], { atMost: 2 }),
		memoryClaim(reader, split, LESS_MEMORY),
		memoryClaim(reader, alone, LESS_MEMORY),
		timeClaim(reader, least),
		memoryClaim(reader, least),
	]);
	const points: Array<{ work: number; runs: Spent[] }> = [];
	for (const work of [RECORDS / 100, RECORDS / 10])
		points.push({ work, runs: (await measureCdrs(work, ['raw'], 1)).raw });
	points.push({ work: RECORDS, runs: ours.raw });
	const growthOf = (what: string, unit: string, of: keyof Spent) => ({
		what,
		unit,
		points: points.map(({ work, runs }) => ({
			work,
			value: rounded(median(runs.map((run) => run[of]))),
		})),
	});
	return {
		claims,
		growth: [
			growthOf('time by records, raw', 'ms', 'ms'),
			growthOf('memory by records, raw', 'MiB', 'peakMb'),
		],
	};
}

/** A reader and its runs. */
type Reader = [name: string, runs: Spent[]];

function timeClaim([name, ours]: Reader, [against, theirs]: Reader, aim?: Aim): Claim {
	return claim(
		{ what: `${name}: time`, against, unit: 'ms', ...(aim && { aim }) },
		ours.map(({ ms }) => ms),
		theirs.map(({ ms }) => ms),
	);
}

function memoryClaim([name, ours]: Reader, [against, theirs]: Reader, aim?: Aim): Claim {
	return claim(
		{ what: `${name}: peak memory`, against, unit: 'MiB', ...(aim && { aim }) },
		ours.map(({ peakMb }) => peakMb),
		theirs.map(({ peakMb }) => peakMb),
	);
}
