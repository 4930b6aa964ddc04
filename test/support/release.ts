/** Whether everything runs that only a release needs (`npm run test:release`). */
export const IS_RELEASE = Boolean(process.env.TEST_RELEASE);

/** How often a long test repeats: some times in `npm test`, many times before a release. */
export function times(usual: number, whole: number): number {
	return IS_RELEASE ? whole : usual;
}
