/** Whether to run what only a release needs (`npm run test:release`). */
export const IS_RELEASE = Boolean(process.env.TEST_RELEASE);

/** Returns how often a long test repeats: a few times in `npm test`, many before a release. */
export function times(usual: number, whole: number): number {
	return IS_RELEASE ? whole : usual;
}
