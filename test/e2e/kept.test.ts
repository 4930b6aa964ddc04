import { runKeptCalls } from '../../tools/endurance/calls';
import { runKept } from '../../tools/endurance/kept';

/** It ends by what happens, not by the clock: n8n may take minutes to start again on a machine that is busy. */
const LIMIT_MS = 900_000;
const ORDER = {
	mode: 'regular',
	events: 60,
	seed: 1,
	pauses: { min: 4, max: 8 },
	strikes: 2,
} as const;

describe('while n8n is killed and stopped at random', () => {
	it(
		'events have an execution each when they were acknowledged, and arrive by a retry when not',
		async () => {
			const kept = await runKept(ORDER);

			expect(kept).toMatchObject({ lost: 0, givenUp: 0 });
			expect(kept.acknowledged).toBeGreaterThanOrEqual(60);
		},
		LIMIT_MS,
	);

	it(
		'calls reach the CRM once each with both triggers, on a PBX that sends an event only once',
		async () => {
			const kept = await runKeptCalls(ORDER);

			expect(kept).toMatchObject({ lost: 0, withoutNote: 0, doubled: 0 });
			expect(kept.toldByEvent).toBeGreaterThan(0);
			expect(kept.toldByRecordAlone).toBeGreaterThan(0);
			expect(kept.acknowledged).toBeLessThan(kept.events);
		},
		LIMIT_MS,
	);
});
