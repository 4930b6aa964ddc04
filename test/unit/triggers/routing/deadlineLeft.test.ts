import { deadlineLeft } from '../../../../nodes/VirtualPbx/triggers/routing/receive';

describe('the time that is left of a deadline', () => {
	it.each([
		[100, 85],
		[1000, 850],
		[4000, 3400],
		[60_000, 59_400],
	])('of %d ms is %d ms: 15 %% less, by 0.6 s at most', (deadline, left) => {
		expect(deadlineLeft(deadline)).toBe(left);
	});
});
