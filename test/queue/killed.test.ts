import { runKept } from '../../tools/endurance/kept';
import { times } from '../support/release';

/** In a cluster of its own, on real Redis and PostgreSQL. */
describe('queue mode whose processes are killed', () => {
	it('keeps every event that it has acknowledged', async () => {
		const pauses = { min: 4, max: 8 };
		const strikes = times(1, 4);
		const kept = await runKept({ mode: 'queue', events: 60, seed: 1, pauses, strikes });
		expect(kept).toMatchObject({ lost: 0, givenUp: 0 });
		// Each try of the PBX waits as long as all processes took to start on this machine.
	}, 900_000);
});
