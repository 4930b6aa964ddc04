import { jStat } from 'jstat';

/**
 * Settings of n8n's expression engine, by their name in the tables. docs/run-at-scale.md recommends
 * `lazy`.
 */
export const ENGINES = {
	lazy: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
	default: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'false' },
};
export type Engine = keyof typeof ENGINES;

/** The share of further rounds that should fall within the stated spread. */
const SURE = 0.99;

/** One comparison: medians of all rounds, and this package's ratio to the other. */
export interface Claim {
	what: string;
	against: string;
	ours: number;
	theirs: number;
	/** Median of the rounds' ratios. */
	ratio: number;
	/** The range expected for 99 of 100 further rounds. */
	spread: [number, number];
	/** The highest acceptable ratio. */
	aim: number | undefined;
}

/**
 * Runs the rivals' rounds alternately (A B A B), so that anything else on the machine affects all
 * of them. Returns each rival's results, without the warm-ups.
 */
export async function alternate<K extends string, T>(
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

/**
 * Compares rounds with several figures, each given as its label with the unit, its key in a round,
 * and an optional aim.
 */
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

/** Rounds to three significant digits. */
export const rounded = (figure: number): number => Number(figure.toPrecision(3));

/** Returns the median. */
export const median = (values: readonly number[]): number => jStat.median(values);

/** Returns the value below which a share (0 to 1) of the list is; 0 for an empty list. */
export const percentile = (list: readonly number[], share: number): number =>
	list.length === 0 ? 0 : rounded(jStat.percentile(list, share));

/** Student's t prediction interval of the logarithms, since the values are ratios. */
function expectedRange(ratios: readonly number[]): [number, number] {
	const logs = ratios.map(Math.log);
	const mean = jStat.mean(logs);
	const quantile = jStat.studentt.inv((1 + SURE) / 2, logs.length - 1);
	const reach = quantile * jStat.stdev(logs, true) * Math.sqrt(1 + 1 / logs.length);
	return [rounded(Math.exp(mean - reach)), rounded(Math.exp(mean + reach))];
}
