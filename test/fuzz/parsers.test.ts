import { BUDGET_MS, runTarget, SEED } from './run';
import { TARGETS } from './targets';

describe(`hostile input to the parsers, seed ${SEED}`, () => {
	it.each(TARGETS.map((one) => [one.name, one] as const))(
		'never breaks %s',
		async (_, one) => await runTarget(one),
		(BUDGET_MS ?? 0) + 60_000,
	);
});
