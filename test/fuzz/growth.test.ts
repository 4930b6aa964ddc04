import { doors } from './doors';

const LONGEST_MS = 120_000;

describe('bodies that grow in keys, entries, depth, and length', () => {
	it.each(doors.map((door) => [door.name, door] as const))(
		'take linear time, and 50 times their size at most: %s',
		(_, { faults }) => expect(faults()).toEqual([]),
		LONGEST_MS,
	);
});
