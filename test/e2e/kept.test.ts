import { runKept } from '../../tools/endurance/kept';

describe('events while n8n is killed and stopped at random', () => {
	it('have an execution each when they were acknowledged, and arrive by a retry when not', async () => {
		const pauses = { min: 4, max: 8 };
		const kept = await runKept({ mode: 'regular', events: 60, seed: 1, pauses });

		expect(kept).toMatchObject({ lost: 0, givenUp: 0 });
		expect(kept.acknowledged).toBeGreaterThanOrEqual(60);
	}, 300_000);
});
