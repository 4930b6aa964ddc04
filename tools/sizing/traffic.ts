import { randomExponential, randomLcg } from 'd3-random';
import { percentile } from '../bench/measure';

/** With the same seed, the model draws the same arrivals as the check. */
export const SEED = 0.5;

/** How deliveries come. */
export interface Traffic {
	/** On average, in a second without a burst. */
	perSecond: number;
	/** How long, in seconds. */
	seconds: number;
	/** A second in which so many `times` as many come, which begins `at` so many seconds. */
	burst?: { at: number; times: number };
}

/**
 * Draws when deliveries come: at random and independently of each other, as calls do (a Poisson process).
 *
 * @param seed between 0 and 1; the same one gives the same times
 * @returns seconds from the start, ascending
 */
export function drawTimes({ perSecond, seconds, burst }: Traffic, seed: number): number[] {
	const draw = randomExponential.source(randomLcg(seed))(1);
	const times: number[] = [];
	let now = 0;
	for (;;) {
		const isBurst = burst && now >= burst.at && now < burst.at + 1;
		now += draw() / (perSecond * (isBurst ? burst.times : 1));
		if (now >= seconds) return times;
		times.push(now);
	}
}

/**
 * The middle answer of those that came in each second.
 *
 * @param times at which they came, in seconds
 * @param answers what each took, in milliseconds
 */
export function middles(
	times: readonly number[],
	answers: readonly number[],
	seconds: number,
): number[] {
	const bySecond: number[][] = Array.from({ length: seconds }, () => []);
	times.forEach((at, index) => bySecond[Math.floor(at)]?.push(answers[index] ?? 0));
	return bySecond.map((list) => percentile(list, 0.5));
}
