/** The part of jstat that is used; it brings no types of its own. */
declare module 'jstat' {
	export const jStat: {
		mean(values: readonly number[]): number;
		median(values: readonly number[]): number;
		/** The value below which a share `k` (0 to 1) of a list lies. */
		percentile(values: readonly number[], k: number): number;
		/** The standard deviation, of a sample (`true`) or of all there is. */
		stdev(values: readonly number[], isSample: boolean): number;
		studentt: {
			/** The value below which a share `p` (0 to 1) of Student's t distribution lies. */
			inv(p: number, degreesOfFreedom: number): number;
		};
	};
}
