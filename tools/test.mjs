// `npm test`: sets up, then runs all slices until one fails. Slices whose servers are missing are skipped and listed.
// With `-- --all`, every slice must run; `--release` adds what only releases run. `node tools/test.mjs <slice> [file
// patterns]` runs one slice. `node tools/test.mjs n8n <version> [file patterns]` runs the triggers' core on another n8n
// version, and `… n8n <image>:<tag>` the core of the end-to-end tests on a container image.
import { GROUPS, OLDER_N8N, onOtherN8n } from './checks/slices.mjs';
import { install } from './setup.mjs';
import { runAsCommand, SetupError } from './setup/failure.mjs';

const FLAGS = ['--all', '--release'];
const isRelease = process.argv.includes('--release');
if (isRelease) process.env.TEST_RELEASE = '1';
const [only, ...patterns] = process.argv.slice(2).filter((word) => !FLAGS.includes(word));
if (isRelease || only === 'kits') process.env.TEST_ALL_CRMS = '1';
const mustRun = only !== undefined || isRelease || process.argv.includes('--all');

function chosen() {
	if (only === 'n8n') return [[onOtherN8n(patterns.shift() ?? OLDER_N8N)]];
	if (only === undefined) return isRelease ? [...GROUPS, [onOtherN8n(OLDER_N8N)]] : GROUPS;
	const slices = GROUPS.flat();
	const slice = slices.find(({ name }) => name === only);
	const names = slices.map(({ name }) => name).join(', ');
	if (!slice) throw new SetupError(`There is no slice “${only}”. Slices: ${names}`);
	return [[slice]];
}

/** Skipped tests say in the output above why they don't run. */
function countsOf({ passed, failed, skipped }) {
	return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Runs a slice. Returns its summary line, and how many tests passed, failed, and were skipped. */
async function runOne(slice, holdOutput) {
	const title = slice.name.padEnd(10);
	const obstacle = mustRun ? undefined : await slice.findObstacle?.();
	if (obstacle)
		return { line: `! ${title} NOT RUN: ${obstacle}`, passed: 0, failed: 0, skipped: 0 };
	console.log(`\n▸ ${slice.name}`);
	const start = Date.now();
	const { ok, ...found } = await slice.run(patterns, holdOutput);
	const counts = { passed: 0, failed: 0, skipped: 0, ...found };
	const seconds = `${Math.round((Date.now() - start) / 1000)} s`.padStart(6);
	const tests = counts.passed + counts.failed > 0 ? `   ${countsOf(counts)}` : '';
	const line = `${ok ? '✔' : '✖'} ${title} ${seconds}${tests}`;
	return { ...counts, line, failed: ok ? counts.failed : Math.max(1, counts.failed) };
}

await runAsCommand(async () => {
	const groups = chosen();
	await install({ n8n: groups.flat().some(({ needsN8n }) => needsN8n) });
	const results = [];
	for (const group of groups) {
		const several = group.map(async (slice) => await runOne(slice, group.length > 1));
		results.push(...(await Promise.all(several)));
		if (results.some(({ failed }) => failed > 0)) break;
	}
	const sum = (what) => results.reduce((total, result) => total + result[what], 0);
	const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
	console.log(`\n${results.map(({ line }) => line).join('\n')}\n\n${countsOf(total)}`);
	process.exitCode = total.failed > 0 ? 1 : 0;
});
