import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { prepareUserFolder, readSetup, ROOT } from '../../n8n';
import { claim, inTurns } from '../measure';
import type { Effort, Measured, Slice } from '../measure';
import { median } from '../statistics';

const run = promisify(execFile);

const COMMUNITY = [
	'@mendable/n8n-nodes-firecrawl@2.1.2',
	'n8n-nodes-deepseek@1.0.6',
	'n8n-nodes-evolution-api@1.0.4',
	'n8n-nodes-mcp@0.1.37',
	'n8n-nodes-wordpress@0.1.0',
];
const MODULES = path.join(ROOT, '.n8n/node_modules');
const BASE = path.join(MODULES, 'n8n-nodes-base');

/** What the package costs an n8n that starts. */
export const packageSlice: Slice = {
	name: 'package',
	title: 'The package: time to load',
	method: `All nodes and credentials of a package required in a fresh process of n8n's Node that has n8n-workflow loaded already. Rivals: the median of ${COMMUNITY.map((name) => `\`${name}\``).join(', ')}, installed as n8n does; and n8n's own Twilio nodes.`,
	notes:
		'The community packages are those that offer operations on a service, as ours does, of the few that the registry in use gave. The Twilio nodes are two small nodes that lean on code which n8n-nodes-base shares.',
	measure,
};

async function measure(effort: Effort): Promise<Measured> {
	const full = effort === 'full';
	const home = await prepareUserFolder();
	const folder = await mkdtemp(path.join(tmpdir(), 'virtual-pbx-bench-'));
	try {
		const own = filesOf(path.join(home, '.n8n/nodes/node_modules/n8n-nodes-virtual-pbx'));
		const twilio = filesOf(BASE, (file) => file.includes('Twilio'));
		const others = full ? await install(folder) : [];
		const times = await inTurns(
			{
				ours: async () => await requireTime(own),
				twilio: async () => await requireTime(twilio),
				others: async () => {
					const each: number[] = [];
					for (const files of others) each.push(await requireTime(files));
					return median(each);
				},
			},
			{ rounds: full ? 15 : 1 },
		);
		const loading = { what: 'time to load', unit: 'ms', aim: { atMost: 1 } };
		const againstTwilio = { what: loading.what, unit: loading.unit, against: "n8n's Twilio nodes" };
		const claims = [claim(againstTwilio, times.ours, times.twilio)];
		if (!full) return { claims, growth: [] };
		const against = `median of ${COMMUNITY.length} community packages`;
		return {
			claims: [...claims, claim({ ...loading, against }, times.ours, times.others)],
			growth: [],
		};
	} finally {
		await rm(folder, { recursive: true });
		await rm(home, { recursive: true });
	}
}

/** The nodes and credentials that a package's manifest names. */
function filesOf(folder: string, isWanted = (_file: string) => true): string[] {
	const { n8n } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
		n8n: { nodes?: string[]; credentials?: string[] };
	};
	return [...(n8n.nodes ?? []), ...(n8n.credentials ?? [])]
		.filter(isWanted)
		.map((file) => path.join(folder, file));
}

/** Installs the community packages as n8n does, and gives the files of each. */
async function install(folder: string): Promise<string[][]> {
	await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
	const flags = [
		'--omit=peer',
		'--legacy-peer-deps',
		'--ignore-scripts',
		'--no-audit',
		'--no-fund',
	];
	await run('npm', ['install', ...COMMUNITY, ...flags], { cwd: folder });
	return COMMUNITY.map((spec) =>
		filesOf(path.join(folder, 'node_modules', spec.replace(/@[^@]*$/, ''))).filter(existsSync),
	);
}

/** Milliseconds to require files in a fresh process of n8n's Node. */
async function requireTime(files: string[]): Promise<number> {
	const script = path.join(__dirname, '..', 'require-time.cjs');
	const { stdout } = await run(readSetup().node, [script, ...files], {
		env: { ...process.env, NODE_PATH: MODULES },
	});
	return Number(stdout);
}
