import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { withCleanups } from '../../cleanups';
import { prepareUserFolder, readSetup, ROOT } from '../../n8n';
import { claim, inTurns, median } from '../measure';
import type { Claim, Slice } from '../measure';

const run = promisify(execFile);

const COMMUNITY = [
	'@mendable/n8n-nodes-firecrawl@2.1.2',
	'n8n-nodes-deepseek@1.0.6',
	'n8n-nodes-evolution-api@1.0.4',
	'n8n-nodes-mcp@0.1.37',
	'n8n-nodes-wordpress@0.1.0',
];
const MODULES = path.join(ROOT, '.n8n/node_modules');
/** As n8n installs them. */
const FLAGS = ['--omit=peer', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];

/** What the package costs an n8n that starts. */
export const packageSlice: Slice = {
	name: 'package',
	title: 'The package: time to load',
	advice:
		'You need to do nothing: our package loads at the start of n8n as fast as other community packages do.',
	method: `A fresh Node process requires all nodes and credentials of a package. The others are ${COMMUNITY.map((name) => `\`${name}\``).join(', ')}.`,
	measure,
};

async function measure(full: boolean): Promise<Claim[]> {
	return await withCleanups(async (later) => {
		const home = await prepareUserFolder();
		later(async () => await rm(home, { recursive: true }));
		const own = filesOf(path.join(home, '.n8n/nodes/node_modules/n8n-nodes-virtual-pbx'));
		const folder = await mkdtemp(path.join(tmpdir(), 'virtual-pbx-bench-'));
		later(async () => await rm(folder, { recursive: true }));
		// The light form installs nothing, and takes our own package as the rival.
		const rivals = full ? await install(folder) : [own];
		const { ours, theirs } = await inTurns(
			{
				ours: async () => await requireTime(own),
				theirs: async () => {
					const times: number[] = [];
					for (const files of rivals) times.push(await requireTime(files));
					return median(times);
				},
			},
			{ rounds: full ? 15 : 1 },
		);
		const against = `median of ${COMMUNITY.length} community packages`;
		const about = { what: 'time to load', against, unit: 'ms', aim: { atMost: 1 } };
		return [claim(about, ours, theirs)];
	});
}

/** The nodes and credentials that a package's manifest names. */
function filesOf(folder: string): string[] {
	const { n8n } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
		n8n: { nodes?: string[]; credentials?: string[] };
	};
	const files = [...(n8n.nodes ?? []), ...(n8n.credentials ?? [])];
	return files.map((file) => path.join(folder, file)).filter(existsSync);
}

/** Installs the community packages, and returns the files of each. */
async function install(folder: string): Promise<string[][]> {
	await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
	await run('npm', ['install', ...COMMUNITY, ...FLAGS], { cwd: folder });
	return COMMUNITY.map((spec) =>
		filesOf(path.join(folder, 'node_modules', spec.replace(/@[^@]*$/, ''))),
	);
}

/** Milliseconds to require files in a fresh process of n8n's Node. */
async function requireTime(files: string[]): Promise<number> {
	const script = path.join(ROOT, 'tools/bench/require-time.cjs');
	const { stdout } = await run(readSetup().node, [script, ...files], {
		env: { ...process.env, NODE_PATH: MODULES },
	});
	return Number(stdout);
}
