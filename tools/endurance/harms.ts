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
	/** How many harms there are, before the work may end; by default as many as fit into the work. */
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
	const { strikes } = striking;
	const count = () => Object.values(struck).reduce((sum, one) => sum + one);
	const isTooEarly = () => strikes !== undefined && count() < strikes;
	const goesOn = () => strikes === undefined || isTooEarly();
	const [result] = await Promise.all([
		work(isTooEarly).finally(() => over.abort()),
		strikeOnAndOn(harms, striking, { struck, signal: over.signal, goesOn }),
	]);
	return { result, struck };
}

interface Course {
	struck: Record<string, number>;
	signal: AbortSignal;
	goesOn: () => boolean;
}

async function strikeOnAndOn(
	harms: readonly Harm[],
	{ seed, pauses }: Striking,
	{ struck, signal, goesOn }: Course,
): Promise<void> {
	const turn = fc.record({ pause: fc.integer(pauses), index: fc.nat(harms.length - 1) });
	for (const { pause, index } of fc.sample(turn, { seed, numRuns: 10_000 })) {
		if (!goesOn()) break;
		await sleep(pause * 1000, undefined, { signal }).catch(() => {});
		const harm = harms[index];
		if (signal.aborted || !harm) break;
		await harm.strike();
		struck[harm.name] = (struck[harm.name] ?? 0) + 1;
	}
}
