import {
	corrected,
	cursorAt,
	setBackMs,
} from '../../../../nodes/VirtualPbx/triggers/callRecord/cursor';
import { START } from './world';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe("a poll while n8n's clock is wrong", () => {
	it('is noticed when the clock is right again', () => {
		const cursor = { ...cursorAt('source', START), clock: START };
		expect(setBackMs({ ...cursor, polledAt: START + DAY }, START)).toBe(DAY);
		expect(setBackMs({ ...cursor, polledAt: START + 30_000 }, START)).toBe(0);
		expect(setBackMs(cursorAt('source', START + DAY), START)).toBe(DAY);
	});

	it('leaves a cursor that is corrected only where no record proves it', () => {
		const ahead = cursorAt('source', START + DAY);
		expect(corrected(ahead, START, MINUTE)).toMatchObject({ until: START, from: START - MINUTE });
		const proven = { ...ahead, clock: START };
		expect(corrected(proven, START, MINUTE)).toBe(proven);
	});
});
