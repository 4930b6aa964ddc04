import { boundaryTargets } from './targets/boundaries';
import { eventTargets } from './targets/events';
import { recordTargets } from './targets/records';
import { routingTargets } from './targets/routing';
import { valueTargets } from './targets/values';
import { BUDGET_MS, runTarget, SEED } from './run';

const TARGETS = [
	...[...eventTargets, ...routingTargets, ...valueTargets],
	...[...recordTargets, ...boundaryTargets],
];

describe(`hostile input to the parsers, seed ${SEED}`, () => {
	it.each(TARGETS.map((one) => [one.name, one] as const))(
		'never breaks %s',
		async (_, one) => await runTarget(one),
		(BUDGET_MS ?? 0) + 60_000,
	);
});
