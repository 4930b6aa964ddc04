import { measureCdrs } from '../cdrs';
import { claim, rounded } from '../measure';
import type { Claim, Effort, Measured, Slice } from '../measure';
import type { Spent } from '../memory';
import { median } from '../statistics';

const RECORDS = 100_000;

/** Many call records in one go. */
export const cdrs: Slice = {
	name: 'cdrs',
	title: 'Call records: 100,000 in one Get Many',
	method:
		"Each reader in an n8n of its own that has run once and collected its garbage; time is that of the whole execution, memory is the peak of the process above its rest. n8n's HTTP Request node gives one item with all records in it; with Split Out behind it the result is the same as ours. undici with `JSON.parse` runs alone in a process, without n8n.",
	notes:
		'The HTTP Request node alone leaves the records in one item, which no other node can filter, loop over or write to a table; one item per record is what costs, in our node as in Split Out.',
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	if (effort === 'light') {
		const { raw, undici } = await measureCdrs(500, ['raw', 'undici'], 1);
		return { claims: [timeClaim(['raw', raw], ['undici', undici], 2)], growth: [] };
	}
	const readers = ['raw', 'simplified', 'httpRequest', 'httpRequestSplit', 'undici'] as const;
	const { undici, httpRequest, httpRequestSplit, ...ours } = await measureCdrs(RECORDS, readers, 3);
	const split: Reader = ['HTTP Request + Split Out', httpRequestSplit];
	const alone: Reader = ['HTTP Request', httpRequest];
	const claims = Object.entries(ours).flatMap((reader) => [
		timeClaim(reader, split, 0.8),
		timeClaim(reader, alone, 0.8),
		timeClaim(reader, ['undici + JSON.parse', undici], 2),
		memoryClaim(reader, split),
		memoryClaim(reader, alone),
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

function timeClaim([name, ours]: Reader, [against, theirs]: Reader, atMost: number): Claim {
	return claim(
		{ what: `${name}: time`, against, unit: 'ms', aim: { atMost } },
		ours.map(({ ms }) => ms),
		theirs.map(({ ms }) => ms),
	);
}

function memoryClaim([name, ours]: Reader, [against, theirs]: Reader): Claim {
	return claim(
		{ what: `${name}: peak memory`, against, unit: 'MiB', aim: { atMost: 0.7 } },
		ours.map(({ peakMb }) => peakMb),
		theirs.map(({ peakMb }) => peakMb),
	);
}
