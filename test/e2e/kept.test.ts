import { PROFILES, runKept } from '../../tools/measure/endurance/kept';
import { startRig } from '../../tools/measure/endurance/rig';
import { later } from '../support/e2e';

describe('while n8n is killed and stopped at random', () => {
	it.each(PROFILES)(
		'each call reaches the CRM once with both triggers, on a PBX of the profile %s',
		async (profile) => {
			const rig = await startRig('regular');
			later(rig.dispose);
			const pauses = { min: 4, max: 8 };
			const kept = await runKept(rig, { profile, events: 60, seed: 1, pauses, strikes: 2 });

			expect(kept).toMatchObject({ forgotten: 0, lost: 0, withoutNote: 0, doubled: 0 });
			expect(kept.toldByEvent).toBeGreaterThan(0);
			// It ends by what happens, not by the clock: n8n may take minutes to start again on a machine that is busy.
		},
		900_000,
	);
});
