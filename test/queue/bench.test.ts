import { expectBenchRuns } from '../support/lightBench';

describe('the benchmark of queue mode', () => {
	it('runs with little work', async () => await expectBenchRuns('queue'), 300_000);
});
