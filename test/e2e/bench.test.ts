import { expectBenchRuns } from '../support/lightBench';

/** Each starts n8n by itself; groups run side by side, since no time counts here. */
const GROUPS = [
	['events', 'check', 'reads'],
	['calls', 'cdrs', 'recording'],
	['routing', 'package'],
];

describe('the benchmark', () => {
	it('runs every slice, with little work each', async () => {
		await Promise.all(GROUPS.map(async (slices) => await expectBenchRuns(...slices)));
	}, 300_000);
});
