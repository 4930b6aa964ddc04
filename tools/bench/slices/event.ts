import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { readSetup, ROOT } from '../../n8n';
import { claim } from '../measure';
import type { Claim, Slice } from '../measure';

const run = promisify(execFile);

/** What our own code takes of each event, without n8n. */
export const event: Slice = {
	name: 'event',
	title: 'Our own code in an event',
	advice:
		'If many events come, size n8n and not our trigger: its own code takes microseconds of an event, and n8n takes milliseconds.',
	method:
		'The end of a call is read, its secret is verified, and it is simplified, beside `JSON.parse` of the same bytes. Each round runs in a process of its own.',
	measure,
};

async function measure(full: boolean): Promise<Claim[]> {
	const ours: number[] = [];
	const theirs: number[] = [];
	while (ours.length < (full ? 9 : 1)) {
		const round = await measureRound(full ? 40 : 1);
		ours.push(round.ours);
		theirs.push(round.theirs);
	}
	const about = { what: 'read, verify, and simplify an event', against: 'JSON.parse', unit: 'µs' };
	return [claim({ ...about, aim: { atMost: 2 } }, ours, theirs)];
}

async function measureRound(turns: number) {
	const tsx = path.join(ROOT, 'node_modules/tsx/dist/cli.mjs');
	const script = path.join(ROOT, 'tools/bench/event-round.ts');
	const { stdout } = await run(readSetup().node, [tsx, script, String(turns)]);
	return JSON.parse(stdout) as Record<'ours' | 'theirs', number>;
}
