import { PROFILES, runKept } from '../../tools/endurance/runs';
import { startRig } from '../../tools/endurance/rig';
import { later } from '../support/e2e';

describe('while n8n is stopped and killed at random', () => {
	it.each(PROFILES)(
		'both triggers log each call in the CRM once, on a PBX with the profile %s',
		async (profile) => {
			const rig = await startRig('regular');
			later(rig.dispose);
			const pauses = { min: 4, max: 8 };
			const kept = await runKept(rig, { profile, events: 60, pauses, minFaults: 2 });

			expect(kept).toMatchObject({ forgotten: 0, lost: 0, withoutNote: 0, withTwoNotes: 0 });
			expect(kept.fromEventTrigger).toBeGreaterThan(0);
			// Waits for the result, not for a fixed time: on a busy machine, n8n can take minutes to restart.
		},
		900_000,
	);
});
