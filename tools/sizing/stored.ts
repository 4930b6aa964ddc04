import { readStored, stampRun, store } from '../bench/results';
import { runCheck } from './check';
import type { Checked, CheckOrder } from './check';
import { basesOf, compareAll } from './compare';
import { ENGINES } from './measured';
import type { Engine, Measured } from './measured';
import { simulateAll } from './need';
import type { Need } from './need';
import type { StoredCheck } from './pages';

/** How many webhook processes, and as many workers, are checked. */
export const COUNTS = [1, 2, 4] as const;

const nameOf = ({ engine, count }: CheckOrder) => `check-${engine}-${count}`;

/** The stored checks, by engine and number of processes. */
export function readChecks(engines: readonly Engine[] = ENGINES): StoredCheck[] {
	return engines.flatMap((engine) =>
		COUNTS.flatMap((count) => readStored<Checked>('sizing', nameOf({ engine, count })) ?? []),
	);
}

/** The stored needs by the model. */
export const readNeeds = (): Need[] =>
	readStored<{ needs: Need[] }>('sizing', 'needs')?.needs ?? [];

/** Checks, stores what came and shows the model's figures beside it. */
export async function storeCheck(order: CheckOrder): Promise<void> {
	const began = performance.now();
	const checked = await runCheck(order);
	store('sizing', nameOf(order), { ...stampRun(performance.now() - began), ...checked });
	const own = readChecks([order.engine]);
	console.table(compareAll(own).filter(({ count }) => count === order.count));
}

/**
 * Simulates what calls need, and stores it.
 *
 * @throws where the settings or the checks of one process have not been measured
 */
export function storeNeeds(): void {
	const began = performance.now();
	const settings = readStored<{ rows: Measured[] }>('sizing', 'settings');
	const bases = basesOf(settings?.rows ?? [], readChecks());
	if (bases.length === 0)
		throw new Error('The model has no costs. What to do: npm run sizing -- settings, then check');
	const needs = simulateAll(bases);
	store('sizing', 'needs', { ...stampRun(performance.now() - began), needs });
}
