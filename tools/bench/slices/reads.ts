import { claim, rounded } from '../measure';
import type { Effort, Measured, Slice } from '../measure';
import { measureReads } from '../reads';
import { median } from '../statistics';

/** Many reads against a server that takes its time. */
export const reads: Slice = {
	name: 'reads',
	title: 'Reads: 500 items, 20 ms of server latency',
	method:
		"Get a callflow for each of 500 items, in four n8n's one after the other: our node beside n8n's HTTP Request node with our credential, and beside plain undici with as many requests at once (20). The floor is a custom node that asks by n8n's own helper, 20 at once, and does nothing else. The times of the nodes are those that n8n notes for them.",
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	const full = effort === 'full';
	const items = full ? 500 : 20;
	const { rounds, grown } = await measureReads(items, {
		starts: full ? 4 : 1,
		rounds: full ? 2 : 1,
		grow: full ? [50, 5000] : [],
	});
	const about = { what: 'time', unit: 'ms' };
	const claims = [
		claim(
			{ ...about, against: 'HTTP Request node', aim: { atMost: 0.6 } },
			rounds.ours,
			rounds.httpRequest,
		),
		claim({ ...about, against: 'undici', aim: { atMost: 1.5 } }, rounds.ours, rounds.undici),
		claim({ ...about, against: "n8n's helper (floor)" }, rounds.ours, rounds.floor),
	];
	const points = [...grown, { work: items, value: rounded(median(rounds.ours)) }];
	points.sort((a, b) => a.work - b.work);
	return { claims, growth: [{ what: 'time by items, ours', unit: 'ms', points }] };
}
