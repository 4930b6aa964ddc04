import { runKept } from '../../tools/endurance/kept';

describe('events while n8n is killed and stopped at random', () => {
	it('have an execution each when they were acknowledged, and arrive by a retry when not', async () => {
		const pauses = { min: 4, max: 8 };
		// n8n may take a minute to start on a machine that is busy.
		const order = { events: 60, seed: 1, pauses, retrySeconds: 45 };
		const kept = await runKept({ mode: 'regular', ...order });

		expect(kept).toMatchObject({ lost: 0, givenUp: 0 });
		expect(kept.acknowledged).toBeGreaterThanOrEqual(60);
	}, 300_000);
});
