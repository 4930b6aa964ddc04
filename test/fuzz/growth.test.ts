import { doors } from './doors';
import { assertLinear } from './growth';

describe('bodies that grow', () => {
	it.each(
		doors.flatMap((door) =>
			Object.keys(door.bodies).map((kind) => [`${door.name}: ${kind}`, door, kind] as const),
		),
	)('take no more than linear time and 50 times their size: %s', (_, door, kind) =>
		assertLinear(door, kind),
	);
});
