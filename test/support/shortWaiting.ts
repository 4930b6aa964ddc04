import type * as waiting from '../../nodes/VirtualPbx/triggers/waiting';

/** All that triggers wait for a PBX, in this share of its real time. */
const SHARE = 1 / 10;

/** The real times that were asked for, in milliseconds. */
export const realWaits: number[] = [];

/** For `jest.mock` of the triggers' waiting: the same budgets, a tenth as long. */
export function shortWaiting(actual: typeof waiting): typeof waiting {
	const short = new WeakSet<object>();
	const shorten = <T extends { until: number }>(budget: T): T => {
		if (short.has(budget)) return budget;
		short.add(budget);
		const real = budget.until - Date.now();
		realWaits.push(real);
		budget.until = Date.now() + real * SHARE;
		return budget;
	};
	return {
		...actual,
		beginActivation: (...args) => shorten(actual.beginActivation(...args)),
		deactivationBudget: (...args) => shorten(actual.deactivationBudget(...args)),
	};
}
