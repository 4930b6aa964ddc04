import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
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
	title: 'The package: time to load, size',
	method: `All nodes and credentials of a package required in a fresh process of n8n's Node that has n8n-workflow loaded already; size is that of the packed tarball. Rivals: the median of ${COMMUNITY.map((name) => `\`${name}\``).join(', ')}, installed as n8n does; and n8n's own Twilio nodes, whose files are packed for the size.`,
	notes:
		"The community packages are those that offer operations on a service, as ours does, of the few that the registry in use gave. Ours has four nodes with eighteen operations and three triggers, and all their texts, in one minified file; for each of them it is smaller than theirs. Below the median as a whole it would be with a third of its features less. The Twilio nodes are two small nodes without a readme and pictures of their own, and lean on code that n8n-nodes-base shares; their size is no equal of a package's.",
	measure,
};

/** A package to load: its files, and its packed bytes. */
interface Loaded {
	files: string[];
	bytes: number;
}

async function measure(effort: Effort): Promise<Measured> {
	const full = effort === 'full';
	const home = await prepareUserFolder();
	const folder = await mkdtemp(path.join(tmpdir(), 'virtual-pbx-bench-'));
	try {
		const own = path.join(home, '.n8n/nodes/node_modules/n8n-nodes-virtual-pbx');
		const ours = { files: filesOf(own), bytes: (await stat(readSetup().tarball)).size };
		const twilio = await packTwilio(folder);
		const others = full ? await install(folder) : [];
		const load =
			({ files }: Loaded) =>
			async () =>
				await requireTime(files);
		const times = await inTurns(
			{
				ours: load(ours),
				twilio: load(twilio),
				others: async () => {
					const each: number[] = [];
					for (const other of others) each.push(await requireTime(other.files));
					return median(each);
				},
			},
			{ rounds: full ? 15 : 1 },
		);
		const loading = { what: 'time to load', unit: 'ms', aim: { atMost: 1 } };
		const size = { what: 'packed size', unit: 'bytes', aim: { atMost: 1 } };
		const claims = [
			claim({ ...loading, against: "n8n's Twilio nodes" }, times.ours, times.twilio),
			claim({ ...size, against: "n8n's Twilio nodes" }, [ours.bytes], twilio.bytes),
		];
		if (!full) return { claims, growth: [] };
		const against = `median of ${COMMUNITY.length} community packages`;
		const bytes = median(others.map((other) => other.bytes));
		const each = { what: 'packed size for each operation', unit: 'bytes', against };
		const forEach = await Promise.all(others.map(sizeForEach));
		return {
			claims: [
				...claims,
				claim({ ...loading, against }, times.ours, times.others),
				claim({ ...size, against }, [ours.bytes], bytes),
				claim(each, [await sizeForEach(ours)], median(forEach)),
			],
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

async function packTwilio(folder: string): Promise<Loaded> {
	const files = filesOf(BASE, (file) => file.includes('Twilio'));
	const tarball = path.join(folder, 'twilio.tgz');
	const parts = ['dist/nodes/Twilio', 'dist/credentials/TwilioApi.credentials.js'];
	await run('tar', ['-czf', tarball, '--exclude=*.map', '--exclude=*.d.ts', '-C', BASE, ...parts]);
	return { files, bytes: (await stat(tarball)).size };
}

async function install(folder: string): Promise<Loaded[]> {
	await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
	const packs = path.join(folder, 'packs');
	await mkdir(packs);
	const flags = [
		'--omit=peer',
		'--legacy-peer-deps',
		'--ignore-scripts',
		'--no-audit',
		'--no-fund',
	];
	await run('npm', ['install', ...COMMUNITY, ...flags], { cwd: folder });
	const loaded: Loaded[] = [];
	for (const spec of COMMUNITY) {
		const { stdout } = await run('npm', ['pack', spec, '--json'], { cwd: packs });
		const [packed] = JSON.parse(stdout) as Array<{ name: string; size: number }>;
		const home = path.join(folder, 'node_modules', packed?.name ?? '');
		loaded.push({ files: filesOf(home).filter(existsSync), bytes: packed?.size ?? NaN });
	}
	return loaded;
}

async function sizeForEach({ files, bytes }: Loaded): Promise<number> {
	return Math.round(bytes / (await numberFrom('operations.cjs', files)));
}

async function requireTime(files: string[]): Promise<number> {
	return await numberFrom('require-time.cjs', files);
}

/** What a script prints of some files, in a fresh process of n8n's Node. */
async function numberFrom(script: string, files: string[]): Promise<number> {
	const { stdout } = await run(readSetup().node, [path.join(__dirname, '..', script), ...files], {
		env: { ...process.env, NODE_PATH: MODULES },
	});
	return Number(stdout);
}
