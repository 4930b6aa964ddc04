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

/** Skips the getters of a module's exports, `() => name` and `() => from[key]`, which the loader adds. */
function isEntered({ functionName, ranges: [range] }: Profiler.FunctionCoverage): boolean {
	if (!range || range.count === 0) return false;
	const length = range.endOffset - range.startOffset;
	return length > `() => ${functionName}`.length && !(functionName === 'get' && length === LOADED);
}

/** The length of `() => from[key]` as the loader writes it. */
const LOADED = 13;

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
	const trigger = async () =>
		await startTrigger({
			type: 'virtualPbxTrigger',
			credential: pbx.credential,
			parameters: { events: ['ended'], deliveryOptions: { skipUrlCheck: true } },
		});
	const first = await trigger();
	await first.activate();
	const { name, args } = sampleOf('ended', 63_962_000_000);
	const deliver = async () => {
		const [webhook] = pbx.sandbox.pbx.firstAccount.webhooks.all();
		const event = { name, args: { ...args, 'Msg-ID': String(Math.random()) } };
		const { status } = await first.deliver({
			body: { ...event, custom_data: webhook?.custom_data },
		});
		if (status !== 200) throw new Error(`The delivery got ${status}`);
	};
	await deliver();
	const event = await entered(session, deliver);
	const second = await trigger();
	const publication = await entered(session, async () => await second.activate());
	const { id } = pbx.sandbox.pbx.firstAccount.callflows.all()[0] ?? {};
	const callflowId = { __rl: true, mode: 'id', value: id ?? '' };
	const update = async () =>
		await pbx.items('callflow:update', {
			callflowId,
			updateFields: { name: String(Math.random()) },
		});
	await update();
	const records = await makeRecordTrigger({
		type: 'virtualPbxRecordTrigger',
		credential: pbx.credential,
		parameters: { event: 'newCall' },
	});
	WAITS.settleMs = 0;
	await records.poll();
	const check = async () => {
		await pbx.client.addRecords([recordOf(String(Math.random()))]);
		await records.poll();
	};
	await check();
	const paths = {
		...{ event, publication },
		'callflow update': await entered(session, update),
		'a check with one new call': await entered(session, check),
	};
	await records.unpublish();
	await Promise.all([first.close(), second.close(), pbx.sandbox.close()]);
	return paths;
}

/** Returns the files that git tracks below some folders. */
function tracked(pattern: RegExp, ...folders: string[]): string[] {
	const given = { cwd: ROOT, encoding: 'utf8' } as const;
	const files = execFileSync('git', ['ls-files', '--', ...folders], given).split('\n');
	return files.filter((file) => pattern.test(file)).map((file) => path.join(ROOT, file));
}

function linesOf(files: readonly string[]): number {
	const lines = files.map((file) => readFileSync(file, 'utf8').trimEnd().split('\n').length);
	return lines.reduce((sum, one) => sum + one, 0);
}

const weigh = (pattern: RegExp, ...folders: string[]) => {
	const files = tracked(pattern, ...folders);
	return { files: files.length, lines: linesOf(files) };
};

/** Returns how many files are in circles of imports, those of types included, or lead to one. */
function inCircles(files: readonly string[]): number {
	const imports = (file: string) =>
		[...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)].map(
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

const CODE = /\.(?:ts|mjs|cjs|js)$/;

async function main(): Promise<void> {
	const nodes = weigh(CODE, 'nodes', 'credentials');
	const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
		devDependencies: object;
	};
	const count = (value: number) => value.toLocaleString('en-US');
	const rows = [
		['nodes and credentials: lines, files', `${count(nodes.lines)}, ${nodes.files}`],
		[
			'test/: lines, corpora (JSON)',
			`${count(weigh(CODE, 'test').lines)}, ${count(weigh(/\.json$/, 'test').lines)}`,
		],
		['tools/: lines', count(weigh(CODE, 'tools').lines)],
		['sandbox/: lines', count(weigh(CODE, 'sandbox').lines)],
		[
			'examples/: files, lines',
			`${weigh(/\.json$/, 'examples').files}, ${count(weigh(/\.json$/, 'examples').lines)}`,
		],
		['devDependencies', String(Object.keys(devDependencies).length)],
	];
	const paths = Object.entries(await readPaths());
	for (const [name, files] of paths) {
		const lines = linesOf(files.map((file) => path.join(NODES, file)));
		rows.push([
			`files of ${name}: own, at least with 350 lines each`,
			`${files.length}, ${Math.ceil(lines / 350)}`,
		]);
	}
	rows.push(['files of nodes/ in circles', String(inCircles(tracked(/\.ts$/, 'nodes')))]);
	for (const row of rows) console.log(`| ${row.join(' | ')} |`);
	if (process.argv.includes('--files'))
		for (const [name, files] of paths) console.log(`\n${name}\n  ${files.join('\n  ')}`);
}

void main();
