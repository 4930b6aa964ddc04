/**
 * Returns a function such as `it` or `describe`, or its `skip` if there is an obstacle. Reports the obstacle in the
 * output, since a check that is skipped silently goes unnoticed.
 */
export function unless<T>(obstacle: string | undefined, run: T & { skip: T }): T {
	if (obstacle === undefined) return run;
	process.stderr.write(`Not run: ${obstacle}\n`);
	return run.skip;
}
