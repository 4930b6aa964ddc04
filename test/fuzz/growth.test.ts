import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { doors } from './doors';

/** The process dies of more, whenever its garbage collector runs; the code alone takes 30. */
const HEAP_MIB = 128;
const LONGEST_MS = 120_000;
const MOST_FAULTS = 3;

let child: ChildProcess | undefined;
const start = () =>
	fork(path.join(__dirname, 'growing.ts'), {
		execArgv: ['--import', 'tsx', `--max-old-space-size=${HEAP_MIB}`],
		stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
	});
const end = () => {
	child?.kill('SIGKILL');
	child = undefined;
};
afterAll(end);

/** Returns what is wrong with a kind of body at a place. */
async function faultOf(name: string, kind: string): Promise<string | undefined> {
	child ??= start();
	child.send({ name, kind });
	const over = new AbortController();
	const { signal } = over;
	const answered = once(child, 'message', { signal }).then(([answer]) =>
		String(answer.fault ?? ''),
	);
	const died = once(child, 'exit', { signal }).then(() => `${HEAP_MIB} MiB are not enough`);
	const late = sleep(LONGEST_MS, 'it takes two minutes', { signal });
	const all = [answered, died, late];
	const fault = await Promise.race(all);
	over.abort();
	await Promise.allSettled(all);
	if (fault === '') return undefined;
	end();
	return `${kind}: ${fault}`;
}

describe('bodies that grow in keys, entries, depth, and length', () => {
	it.each(doors.map(({ name, kinds }) => [name, kinds] as const))(
		'take linear time and little memory: %s',
		async (name, kinds) => {
			const faults: string[] = [];
			for (const kind of kinds) {
				const fault = await faultOf(name, kind);
				if (fault !== undefined) faults.push(fault);
				if (faults.length === MOST_FAULTS) break;
			}
			expect(faults).toEqual([]);
		},
		(MOST_FAULTS + 1) * LONGEST_MS,
	);
});
