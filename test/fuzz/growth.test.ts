import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { entryPoints } from './entryPoints';

/** The child process crashes if it needs more. The code alone takes 30. */
const HEAP_MIB = 128;
const MAX_MS = 120_000;
const MAX_FAULTS = 3;

let child: ChildProcess | undefined;
const start = () =>
	fork(path.join(__dirname, 'growth-child.ts'), {
		execArgv: ['--import', 'tsx', `--max-old-space-size=${HEAP_MIB}`],
		stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
	});
const end = () => {
	child?.kill('SIGKILL');
	child = undefined;
};
afterAll(end);

/** Returns the fault of a kind of body at an entry point, if any. */
async function faultOf(name: string, kind: string): Promise<string | undefined> {
	child ??= start();
	child.send({ name, kind });
	const settled = new AbortController();
	const { signal } = settled;
	const responded = once(child, 'message', { signal }).then(([response]) =>
		String(response.fault ?? ''),
	);
	const died = once(child, 'exit', { signal }).then(() => `${HEAP_MIB} MiB aren't enough`);
	const late = sleep(MAX_MS, 'it takes two minutes', { signal });
	const all = [responded, died, late];
	const fault = await Promise.race(all);
	settled.abort();
	await Promise.allSettled(all);
	if (fault === '') return undefined;
	end();
	return `${kind}: ${fault}`;
}

describe('bodies that grow in keys, entries, depth, and length', () => {
	it.each(entryPoints.map(({ name, kinds }) => [name, kinds] as const))(
		'take linear time and little memory: %s',
		async (name, kinds) => {
			const faults: string[] = [];
			for (const kind of kinds) {
				const fault = await faultOf(name, kind);
				if (fault !== undefined) faults.push(fault);
				if (faults.length === MAX_FAULTS) break;
			}
			expect(faults).toEqual([]);
		},
		(MAX_FAULTS + 1) * MAX_MS,
	);
});
