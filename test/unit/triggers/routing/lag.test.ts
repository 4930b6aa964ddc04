import { setTimeout as sleep } from 'node:timers/promises';
import { deadlineLeft } from '../../../../nodes/VirtualPbx/triggers/routing/receive';

/** Keeps the event loop busy as n8n does when it makes a sandbox. */
function block(milliseconds: number): void {
	const end = performance.now() + milliseconds;
	while (performance.now() < end);
}

describe('the time that is left of a deadline', () => {
	it('is less after the start and when n8n was busy, by 15 % at most, and grows while it is idle', async () => {
		const afterStart = deadlineLeft(60_000);
		expect(afterStart).toBe(59_650);
		expect(deadlineLeft(1000)).toBe(850);

		await sleep(10);
		block(300);
		await sleep(40);
		const afterWork = deadlineLeft(60_000);
		expect(afterWork).toBeLessThan(afterStart);
		expect(afterWork).toBeGreaterThanOrEqual(51_000);

		const hasGrown = () => deadlineLeft(60_000) > afterWork;
		for (let turn = 0; turn < 50 && !hasGrown(); turn++) await sleep(200);
		expect(hasGrown()).toBe(true);
	});
});
