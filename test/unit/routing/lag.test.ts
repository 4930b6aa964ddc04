import { setTimeout as sleep } from 'node:timers/promises';
import { timeLeft } from '../../../nodes/VirtualPbx/answering/lag';

/** Keeps the event loop busy as n8n does when it makes a sandbox. */
function block(milliseconds: number): void {
	const end = performance.now() + milliseconds;
	while (performance.now() < end);
}

describe('the time that is left of a deadline', () => {
	it('is all of it while n8n is idle, and up to a tenth less once it was busy', async () => {
		expect(timeLeft(1000)).toBe(1000);
		await sleep(10);
		block(60);
		await sleep(40);

		expect(timeLeft(1000)).toBe(900);
		expect(timeLeft(60_000)).toBeGreaterThanOrEqual(54_000);
		expect(timeLeft(60_000)).toBeLessThan(60_000);
	});
});
