import { jStat } from 'jstat';

/** How n8n's engine for expressions may be set, by what the tables call it; docs/run-at-scale.md recommends `lazy`. */
export const ENGINES = {
	lazy: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
	default: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'false' },
};
export type Engine = keyof typeof ENGINES;

/** How often a further round is to lie within the stated spread. */
const SURE = 0.99;

/** One comparison: medians of the rounds, and the ratio of ours to theirs. */
export interface Claim {
	what: string;
	against: string;
	ours: number;
	theirs: number;
	/** Median of the rounds' ratios. */
	ratio: number;
	/** Where 99 of 100 further rounds are to be expected, from how far the rounds lie apart. */
	spread: [number, number];
	/** The ratio that we want to reach at most. */
	aim: number | undefined;
}

/**
 * Runs the rounds of rivals in turns (A B A B), so that whatever else the machine does strikes all of them. Gives the figures of
 * each, without those of the warm-ups.
 */
export async function inTurns<K extends string, T>(
	rivals: Record<K, () => Promise<T>>,
	{ rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
): Promise<Record<K, T[]>> {
	const names = Object.keys(rivals) as K[];
	const figures = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, T[]>;
	for (let round = -warmUps; round < rounds; round++) {
		for (const name of names) {
			const figure = await rivals[name]();
			if (round >= 0) figures[name].push(figure);
		}
	}
	return figures;
}

/** Makes claims of rounds with several figures: for each its words with the unit, its name in a round, and maybe an aim. */
export function compare<K extends string>(
	against: string,
	ours: ReadonlyArray<Record<K, number>>,
	theirs: ReadonlyArray<Record<K, number>>,
	figures: ReadonlyArray<readonly [what: string, key: K, aim?: number | undefined]>,
): Claim[] {
	return figures.map(([what, key, aim]) => {
		const own = ours.map((one) => one[key]);
		const other = theirs.map((one) => one[key]);
		const ratios = own.map((figure, round) => figure / (other[round] ?? NaN));
		return {
			what,
			against,
			ours: rounded(median(own)),
			theirs: rounded(median(other)),
			ratio: rounded(median(ratios)),
			spread: expectedRange(ratios),
			aim,
		};
	});
}

/** A figure with three digits that count. */
export const rounded = (figure: number): number => Number(figure.toPrecision(3));

/** The middle value; of an even number of values the mean of the two in the middle. */
export const median = (values: readonly number[]): number => jStat.median(values);

/** The value below which a share (0 to 1) of a list lies; 0 for an empty list. */
export const percentile = (list: readonly number[], share: number): number =>
	list.length === 0 ? 0 : rounded(jStat.percentile(list, share));

/** The prediction interval of Student's t, of the logarithms, since the values are ratios. */
function expectedRange(ratios: readonly number[]): [number, number] {
	const logs = ratios.map(Math.log);
	const mean = jStat.mean(logs);
	const quantile = jStat.studentt.inv((1 + SURE) / 2, logs.length - 1);
	const reach = quantile * jStat.stdev(logs, true) * Math.sqrt(1 + 1 / logs.length);
	return [rounded(Math.exp(mean - reach)), rounded(Math.exp(mean + reach))];
}
