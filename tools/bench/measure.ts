import { expectedRange, median } from './statistics';

/** How often a further round is to lie within the spread that is stated. */
const SURE = 0.99;

/** How much to measure: `full` for the page, `light` to see that it works. */
export type Effort = 'full' | 'light';

/** What a ratio should be. */
export interface Aim {
	atMost?: number;
	atLeast?: number;
}

/** One comparison: medians of the rounds, and the ratio of ours to theirs. */
export interface Claim {
	what: string;
	against: string;
	unit: string;
	ours: number;
	theirs: number;
	/** Median of the rounds' ratios. */
	ratio: number;
	/** Where 99 of 100 further rounds are to be expected, from how far the rounds lie apart. */
	spread: [number, number];
	rounds: number;
	aim?: Aim;
	/** The ratio of a second run. */
	again?: number;
}

/** How a figure grows with the work: one point each for 1×, 10×, 100× or as far as it was taken. */
export interface Growth {
	what: string;
	unit: string;
	points: Array<{ work: number; value: number }>;
}

/** What a slice gives. */
export interface Measured {
	claims: Claim[];
	growth: Growth[];
}

/** One part of `npm run bench`. */
export interface Slice {
	/** As in `npm run bench -- <name>`. */
	name: string;
	title: string;
	/** How it is measured. */
	method: string;
	/** What was not reached, and why. */
	notes?: string;
	/** @throws when a rival does not do the whole work */
	measure(effort: Effort): Promise<Measured>;
}

/**
 * Runs rivals in turns (A B A B), so that whatever else the machine does strikes all of them.
 *
 * @param rivals by name what runs one round and gives its figure
 * @param warmUps how many rounds come first and do not count
 * @returns by name the figures of the rounds
 */
export async function inTurns<K extends string, T>(
	rivals: Record<K, () => Promise<T>>,
	{ rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
): Promise<Record<K, T[]>> {
	const names = Object.keys(rivals) as K[];
	const figures = new Map<K, T[]>(names.map((name) => [name, []]));
	for (let round = -warmUps; round < rounds; round++) {
		for (const name of names) {
			const figure = await rivals[name]();
			if (round >= 0) figures.get(name)?.push(figure);
		}
	}
	return Object.fromEntries(figures) as Record<K, T[]>;
}

/**
 * Makes a claim of the figures of rounds.
 *
 * @param ours one figure a round, in `unit`
 * @param theirs the rival's of the same rounds; a number stands for all rounds
 */
export function claim(
	about: Pick<Claim, 'what' | 'against' | 'unit' | 'aim'>,
	ours: readonly number[],
	theirs: readonly number[] | number,
): Claim {
	const others = typeof theirs === 'number' ? ours.map(() => theirs) : theirs;
	const ratios = ours.map((figure, round) => figure / (others[round] ?? NaN));
	const [low, high] = expectedRange(ratios, SURE);
	return {
		...about,
		ours: rounded(median(ours)),
		theirs: rounded(median(others)),
		ratio: rounded(median(ratios)),
		spread: [rounded(low), rounded(high)],
		rounds: ours.length,
	};
}

/** Whether a second run's ratio lies within the spread of the first; undefined where there is no second. */
export function isRepeated({ again, spread: [low, high] }: Claim): boolean | undefined {
	return again === undefined ? undefined : again >= low && again <= high;
}

/** Whether a claim reaches its aim; undefined where it has none. */
export function isMet({ ratio, aim }: Claim): boolean | undefined {
	if (!aim) return undefined;
	return ratio <= (aim.atMost ?? Infinity) && ratio >= (aim.atLeast ?? -Infinity);
}

/** A figure with three digits that count. */
export const rounded = (figure: number): number => Number(figure.toPrecision(3));
