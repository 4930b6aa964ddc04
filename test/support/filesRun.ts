import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../tools/docs/registered';

const HOME = `${pathToFileURL(path.join(ROOT, 'nodes/VirtualPbx')).href}/`;

/** The module itself has no name, and what hands its exports over is called `get`. */
const isCalled = ({ functionName, ranges }: Profiler.FunctionCoverage) =>
	functionName !== '' && !/^get( |$)/.test(functionName) && (ranges[0]?.count ?? 0) > 0;

/**
 * Tells which files of the product do something during a piece of work: those of which a function is called, by V8's own
 * counts. What modules do while they load does not count.
 *
 * @returns paths below `nodes/VirtualPbx`, sorted
 */
export async function filesRun(work: () => Promise<unknown>): Promise<string[]> {
	const session = new Session();
	session.connect();
	try {
		await session.post('Profiler.enable');
		await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
		await session.post('Profiler.takePreciseCoverage');
		await work();
		const { result } = await session.post('Profiler.takePreciseCoverage');
		const run = result.filter(
			({ url, functions }) => url.startsWith(HOME) && functions.some(isCalled),
		);
		// V8 names a file once for each test file of the process that has loaded it.
		return [...new Set(run.map(({ url }) => url.slice(HOME.length)))].sort();
	} finally {
		session.disconnect();
	}
}
