// `npm run fuzz -- --seconds 60 --seed 7`: throws hostile input at every parser and at the webhooks until the time is
// used up; prints the seed, and for a failure the command that repeats it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';

const root = path.resolve(import.meta.dirname, '..');
/** Tests that share the time: each of them gets its part of it. */
const TARGETS = 32;

const values = new Command('npm run fuzz --')
	.description('Throws hostile input at every parser and at the webhooks')
	.option('--seconds <count>', 'how long', '60')
	.option('--seed <seed>', 'makes the input repeatable', String(Date.now() % 2 ** 31))
	.option('--target <name>', 'only this one', '')
	.option('--path <path>', 'where to go on, as a failure prints it', '')
	.parse()
	.opts();

const folder = mkdtempSync(path.join(tmpdir(), 'fuzz-'));
const file = path.join(folder, 'results.jsonl');
writeFileSync(file, '');
const seconds = Number(values.seconds);
console.log(`Seed ${values.seed}, ${seconds} s`);
const jest = path.join(root, 'node_modules/jest/bin/jest.js');
const only = values.target.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const { status } = spawnSync(
	process.execPath,
	[
		...[jest, '--selectProjects', 'contract', '--forceExit', '--runInBand'],
		...['--testPathPatterns', '/fuzz/', '-t', only === '' ? 'never breaks' : `: ${only}$`],
	],
	{
		cwd: root,
		stdio: 'inherit',
		// An input that hangs is found by this; the seed is printed above.
		timeout: (seconds * 3 + 180) * 1000,
		env: {
			...process.env,
			FUZZ_SEED: values.seed,
			FUZZ_SECONDS: String(only === '' ? seconds / TARGETS : seconds),
			FUZZ_RESULTS: file,
			...(values.path ? { FUZZ_PATH: values.path } : {}),
		},
	},
);
const results = readFileSync(file, 'utf8')
	.split('\n')
	.filter(Boolean)
	.map((line) => JSON.parse(line));
rmSync(folder, { recursive: true });
const runs = results.reduce((sum, one) => sum + one.runs, 0);
console.log(`Seed ${values.seed}: ${runs} inputs for ${results.length} targets`);
process.exitCode = status ?? 1;
