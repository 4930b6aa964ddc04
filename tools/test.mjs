// `npm test`: sets up, then runs every slice up to the first that fails, or all of them with `-- --keep-going`. One that
// needs servers is left out, and named, where there are none. With `-- --all`, every slice must run and pass; with
// `--release`, with all that only a release needs.
// `node tools/test.mjs <slice> [file patterns]` runs one, always; `node tools/test.mjs n8n <version> [file patterns]` the
// triggers' core on another n8n.
import { OLDER_N8N, onOtherN8n, SLICES } from './checks/slices.mjs';
import { install, pack } from './setup.mjs';
import { runAsCommand, SetupError } from './setup/failure.mjs';

const KEEP_GOING = '--keep-going';
const ALL = '--all';
const RELEASE = '--release';
const FLAGS = [KEEP_GOING, ALL, RELEASE];
if (process.argv.includes(RELEASE)) process.env.TEST_RELEASE = '1';
const keepsGoing = process.argv.includes(KEEP_GOING);
const [only, ...patterns] = process.argv.slice(2).filter((word) => !FLAGS.includes(word));
const mustRun = only !== undefined || [ALL, RELEASE].some((flag) => process.argv.includes(flag));

function chosen() {
	if (only === 'n8n') return [onOtherN8n(patterns.shift() ?? OLDER_N8N)];
	if (only === undefined)
		return process.env.TEST_RELEASE ? [...SLICES, onOtherN8n(OLDER_N8N)] : SLICES;
	const slice = SLICES.find(({ name }) => name === only);
	const names = SLICES.map(({ name }) => name).join(', ');
	if (!slice) throw new SetupError(`There is no slice “${only}”; there are: ${names}`);
	return [slice];
}

async function runOne(slice, holdOutput) {
	const obstacle = mustRun ? undefined : await slice.findObstacle?.();
	if (obstacle) return { passed: 0, failed: 0, obstacle };
	console.log(`\n▸ ${slice.name}`);
	const start = Date.now();
	let result = { ok: false, passed: 0, failed: 0 };
	try {
		result = await slice.run(patterns, holdOutput);
	} catch (error) {
		console.error(error instanceof SetupError ? error.message : error);
	}
	const failed = result.ok ? result.failed : Math.max(1, result.failed);
	return { ...result, failed, seconds: Math.round((Date.now() - start) / 1000) };
}

/** Puts neighbours that may run at the same time together. */
function inGroups(slices) {
	return slices.reduce((groups, slice) => {
		const last = groups.at(-1);
		if (slice.group && slice.group === last?.[0].group) last.push(slice);
		else groups.push([slice]);
		return groups;
	}, []);
}

function describe({ name }, { ok, seconds, passed, failed, obstacle }) {
	if (obstacle) return `! ${name.padEnd(10)} NOT RUN: ${obstacle}`;
	const tests = passed + failed > 0 ? `   ${passed} passed, ${failed} failed` : '';
	return `${ok ? '✔' : '✖'} ${name.padEnd(10)} ${`${seconds} s`.padStart(6)}${tests}`;
}

/** Runs slices, without --keep-going up to the first failure, and prints a line for each and the sum of their tests. */
async function runAll(slices) {
	const lines = [];
	const sum = { passed: 0, failed: 0 };
	for (const group of inGroups(slices)) {
		if (sum.failed > 0 && !keepsGoing) {
			lines.push(...group.map(({ name }) => `- ${name.padEnd(10)} skipped`));
			continue;
		}
		const results = await Promise.all(
			group.map(async (slice) => await runOne(slice, group.length > 1)),
		);
		lines.push(...group.map((slice, index) => describe(slice, results[index])));
		for (const { passed, failed } of results) {
			sum.passed += passed;
			sum.failed += failed;
		}
	}
	console.log(`\n${lines.join('\n')}\n`);
	console.log(`${sum.passed} passed, ${sum.failed} failed`);
	process.exitCode = sum.failed > 0 ? 1 : 0;
}

await runAsCommand(async () => {
	const slices = chosen();
	install({ n8n: slices.some(({ needsN8n }) => needsN8n) });
	if (only !== undefined && slices.some(({ needsPackage }) => needsPackage)) pack();
	await runAll(slices);
});
