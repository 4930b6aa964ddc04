// Prints the figures of the code's structure: `npm run house`. Lists the files of each path with `-- --files`. A path is
// what one delivery, publication, or update enters at run time, on n8n's own engine against the sandbox: files of nodes/
// with a function that V8 counted.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sampleOf } from '../nodes/VirtualPbx/pbx/events/table';
import { WAITS } from '../nodes/VirtualPbx/triggers/callRecord/calls';
import { makeRecordTrigger, startTrigger } from '../test/support/core';
import { recordOf } from '../test/support/operate';
import { startPbx } from '../test/support/sandbox';

const ROOT = path.join(__dirname, '..');
const NODES = path.join(ROOT, 'nodes/VirtualPbx');

/** Skips the getters of a module's exports that the loader adds: `() => name`, and `() => from[key]` in 13 characters. */
function isEntered({ functionName, ranges: [range] }: Profiler.FunctionCoverage): boolean {
	if (!range || range.count === 0) return false;
	const length = range.endOffset - range.startOffset;
	return length > `() => ${functionName}`.length && !(functionName === 'get' && length === 13);
}

/** Returns the files of nodes/ that a run enters. Functions that ran while modules were loaded don't count. */
async function entered(session: Session, run: () => Promise<unknown>): Promise<string[]> {
	await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
	await session.post('Profiler.takePreciseCoverage');
	await run();
	const { result } = await session.post('Profiler.takePreciseCoverage');
	await session.post('Profiler.stopPreciseCoverage');
	const files = result
		.filter(({ functions }) => functions.some(isEntered))
		.map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url.replace(/\?.*/, '')) : url))
		.filter((file) => file.startsWith(NODES))
		.map((file) => path.relative(NODES, file));
	return [...new Set(files)].sort();
}

/** Runs each path twice, and counts the second run: the first one fills caches and loads modules. */
async function readPaths(): Promise<Record<string, string[]>> {
	const session = new Session();
	session.connect();
	await session.post('Profiler.enable');
	const pbx = await startPbx();
	const { credential } = pbx;
	const { webhooks, callflows } = pbx.sandbox.pbx.firstAccount;
	const parameters = { events: ['ended'], deliveryOptions: { skipUrlCheck: true } };
	const trigger = async () =>
		await startTrigger({ type: 'virtualPbxTrigger', credential, parameters });
	const [first, second] = [await trigger(), await trigger()];
	const unpublished = [first, second];
	const records = await makeRecordTrigger({
		...{ type: 'virtualPbxRecordTrigger', credential, parameters: { event: 'newCall' } },
	});
	WAITS.settleMs = 0;
	await records.poll();
	const { name, args } = sampleOf('ended', 63_962_000_000);
	const callflowId = { __rl: true, mode: 'id', value: callflows.all()[0]?.id ?? '' };
	const fresh = () => String(Math.random());
	const paths = {
		publication: async () => await unpublished.shift()?.activate(),
		event: async () => {
			const event = { name, args: { ...args, 'Msg-ID': fresh() } };
			const body = { ...event, custom_data: webhooks.all()[0]?.custom_data };
			const { status } = await first.deliver({ body });
			if (status !== 200) throw new Error(`The delivery got ${status}`);
		},
		'callflow update': async () =>
			await pbx.items('callflow:update', { callflowId, updateFields: { name: fresh() } }),
		'a check with one new call': async () => {
			await pbx.client.addRecords([recordOf(fresh())]);
			await records.poll();
		},
	};
	const files: Record<string, string[]> = {};
	for (const [title, run] of Object.entries(paths)) {
		await run();
		files[title] = await entered(session, run);
	}
	await records.unpublish();
	await Promise.all([first.close(), second.close(), pbx.sandbox.close()]);
	return files;
}

/** Returns the files that git tracks below some folders. */
function tracked(pattern: RegExp, ...folders: string[]): string[] {
	const given = { cwd: ROOT, encoding: 'utf8' } as const;
	const files = execFileSync('git', ['ls-files', '--', ...folders], given).split('\n');
	return files.filter((file) => pattern.test(file)).map((file) => path.join(ROOT, file));
}

const read = (file: string) => readFileSync(file, 'utf8');

const linesOf = (files: readonly string[]) =>
	files.reduce((sum, file) => sum + read(file).trimEnd().split('\n').length, 0);

/** Returns how many files are in circles of imports, those of types included, or lead to one. */
function inCircles(files: readonly string[]): number {
	const imports = (file: string) =>
		[...read(file).matchAll(/ from '(\.[^']+)'/g)].map(
			([, to = '']) => `${path.join(path.dirname(file), to)}.ts`,
		);
	let left = new Map(files.map((file) => [file, imports(file)]));
	for (let before = Infinity; left.size < before; ) {
		before = left.size;
		const known = left;
		left = new Map([...known].filter(([, to]) => to.some((one) => known.has(one))));
	}
	return left.size;
}

const count = (value: number) => value.toLocaleString('en-US');

const CODE = /\.(?:ts|mjs|cjs|js)$/;
const sizes = ['nodes credentials', 'test', 'tools', 'sandbox', 'examples'].map((folders) => {
	const files = tracked(folders === 'examples' ? /\.json$/ : CODE, ...folders.split(' '));
	return [`${folders}: lines, files`, `${count(linesOf(files))}, ${files.length}`];
});

async function main(): Promise<void> {
	const manifest = JSON.parse(read(path.join(ROOT, 'package.json'))) as { devDependencies: object };
	const paths = Object.entries(await readPaths());
	const rows = [
		...sizes,
		['corpora in test (JSON): lines', count(linesOf(tracked(/\.json$/, 'test')))],
		['devDependencies', String(Object.keys(manifest.devDependencies).length)],
		...paths.map(([name, files]) => {
			const lines = linesOf(files.map((file) => path.join(NODES, file)));
			const least = Math.ceil(lines / 350);
			return [`files of ${name}: own, at least with 350 lines each`, `${files.length}, ${least}`];
		}),
		['files of nodes/ in circles', String(inCircles(tracked(/\.ts$/, 'nodes')))],
	];
	for (const row of rows) console.log(`| ${row.join(' | ')} |`);
	if (process.argv.includes('--files'))
		for (const [name, files] of paths) console.log(`\n${name}\n  ${files.join('\n  ')}`);
}

void main();
