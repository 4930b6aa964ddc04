import { jStat } from 'jstat';

/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
	return (low + high) / 2;
}

/** The value below which a share (0 to 1) of a list lies. */
export function percentile(list: readonly number[], share: number): number {
	const sorted = [...list].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/**
 * Where one more value of the same kind is to be expected: the prediction interval of Student's t, of the logarithms,
 * since the values are ratios.
 *
 * @param ratios measured ones, each above 0
 * @param share how often it holds (0 to 1)
 * @returns the lowest and the highest; a single ratio, of which nothing can be told, stands for both
 */
export function expectedRange(ratios: readonly number[], share: number): [number, number] {
	const [only = NaN] = ratios;
	if (ratios.length < 2) return [only, only];
	const logs = ratios.map(Math.log);
	const mean = jStat.mean(logs);
	const quantile = jStat.studentt.inv((1 + share) / 2, logs.length - 1);
	const reach = quantile * jStat.stdev(logs, true) * Math.sqrt(1 + 1 / logs.length);
	return [Math.exp(mean - reach), Math.exp(mean + reach)];
}
