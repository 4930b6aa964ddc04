import { claim } from '../../../../nodes/VirtualPbx/triggers/callEvent/deduplication';
import type { DedupeKeys } from '../../../../nodes/VirtualPbx/triggers/callEvent/deduplication';

const HOUR = 3_600_000;

let count = 0;
/** An event with a key of its own. */
const event = (changes: Partial<DedupeKeys> = {}): DedupeKeys => {
	const keys = changes.keep ?? [`key ${count++}`];
	const facts = { leg: 'a', identity: 'one', at: 0, began: 0 };
	return { lookUp: keys, keep: keys, ...facts, ...changes };
};
async function accept(given: DedupeKeys): Promise<boolean> {
	const response = { statusCode: 200, end: () => undefined };
	const isFresh = await claim(given, response);
	response.end();
	return isFresh;
}

// What becomes of events whose first delivery fails is in test/contract/trigger-deliveries.test.ts.
describe('repeated events', () => {
	afterEach(() => jest.useRealTimers());

	it('are forgotten, oldest first, when there are many', async () => {
		const oldest = event();
		await accept(oldest);
		for (let index = 0; index < 20_000; index++) await accept(event());
		expect(await accept(oldest)).toBe(true);
	});

	it('are forgotten after a day', async () => {
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
		const one = event();
		await accept(one);
		jest.advanceTimersByTime(23 * HOUR);
		expect(await accept(one)).toBe(false);
		jest.advanceTimersByTime(2 * HOUR);
		expect(await accept(one)).toBe(true);
	});

	it.each<[string, Partial<DedupeKeys>, boolean]>([
		['another leg of the call, at once', { leg: 'b' }, false],
		['another leg that ends hours later, and began before', { leg: 'b', at: 9 * HOUR }, false],
		['another leg that begins hours later', { leg: 'b', at: 9 * HOUR, began: 8 * HOUR }, true],
		['the same leg, with other content', { identity: 'two' }, true],
		['the same leg, again', {}, false],
	])('are known by what the first has left: %s', async (_, changes, isFresh) => {
		const first = event();
		await accept(first);
		expect(await accept(event({ keep: first.keep, ...changes }))).toBe(isFresh);
	});
});
