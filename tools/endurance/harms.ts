import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';

/** A way to harm n8n, and to bring it back. */
export interface Harm {
	name: string;
	strike(): Promise<void>;
}

/** When to strike. */
export interface Striking {
	/** Makes the harms and the pauses between them repeatable. */
	seed: number;
	/** The pauses between two harms, in seconds. */
	pauses: { min: number; max: number };
	/** How many harms there must have been before the work may end; none by default. */
	strikes?: number;
}

/**
 * Strikes at random while work goes on; the last harm is over when this ends.
 *
 * @param work is handed what tells whether there were too few harms yet
 * @returns what the work gave, and how often each harm struck
 */
export async function whileHarmed<T>(
	harms: readonly Harm[],
	striking: Striking,
	work: (isTooEarly: () => boolean) => Promise<T>,
): Promise<{ result: T; struck: Record<string, number> }> {
	const over = new AbortController();
	const struck = Object.fromEntries(harms.map(({ name }) => [name, 0]));
	const { strikes = 0 } = striking;
	const isTooEarly = () => Object.values(struck).reduce((sum, count) => sum + count) < strikes;
	const [result] = await Promise.all([
		work(isTooEarly).finally(() => over.abort()),
		strikeOnAndOn(harms, striking, { struck, signal: over.signal }),
	]);
	return { result, struck };
}

async function strikeOnAndOn(
	harms: readonly Harm[],
	{ seed, pauses }: Striking,
	{ struck, signal }: { struck: Record<string, number>; signal: AbortSignal },
): Promise<void> {
	const turn = fc.record({ pause: fc.integer(pauses), index: fc.nat(harms.length - 1) });
	for (const { pause, index } of fc.sample(turn, { seed, numRuns: 10_000 })) {
		await sleep(pause * 1000, undefined, { signal }).catch(() => {});
		const harm = harms[index];
		if (signal.aborted || !harm) break;
		await harm.strike();
		struck[harm.name] = (struck[harm.name] ?? 0) + 1;
	}
}
