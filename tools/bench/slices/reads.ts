import { claim, rounded } from '../measure';
import type { Effort, Measured, Slice } from '../measure';
import { measureReads } from '../reads';
import { median } from '../statistics';

/** Many reads against a server that takes its time. */
export const reads: Slice = {
	name: 'reads',
	title: 'Reads: 500 items, 20 ms of server latency',
	method:
		"Get a callflow for each of 500 items, in one n8n: our node beside n8n's HTTP Request node with our credential, and beside plain undici with as many requests at once (20). The times of the nodes are those that n8n notes for them.",
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	const runs =
		effort === 'full'
			? [
					{ items: 500, rounds: 7 },
					{ items: 50, rounds: 3 },
					{ items: 5000, rounds: 1 },
				]
			: [{ items: 20, rounds: 1 }];
	const figures = await measureReads(runs);
	const [first] = figures;
	if (!first) throw new Error('Nothing was measured');
	const about = { what: 'time', unit: 'ms' };
	const points = runs
		.map(({ items }, run) => ({ work: items, value: rounded(median(figures[run]?.ours ?? [])) }))
		.sort((a, b) => a.work - b.work);
	return {
		claims: [
			claim(
				{ ...about, against: 'HTTP Request node', aim: { atMost: 0.6 } },
				first.ours,
				first.httpRequest,
			),
			claim({ ...about, against: 'undici', aim: { atMost: 1.5 } }, first.ours, first.undici),
		],
		growth: [{ what: 'time by items', unit: 'ms', points }],
	};
}
