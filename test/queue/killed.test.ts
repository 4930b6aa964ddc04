import { runKept } from '../../tools/endurance/kept';
import { times } from '../support/release';

/** In a cluster of its own, on real Redis and PostgreSQL. */
describe('queue mode whose processes are killed', () => {
	it('brings each call to the CRM once', async () => {
		const pauses = { min: 4, max: 8 };
		const strikes = times(1, 4);
		const order = { profile: 'contract', mode: 'queue', events: 60, seed: 1 } as const;
		const kept = await runKept({ ...order, pauses, strikes });
		expect(kept).toMatchObject({ forgotten: 0, lost: 0, withoutNote: 0, doubled: 0 });
		// Each try of the PBX waits as long as all processes took to start on this machine.
	}, 900_000);
});
