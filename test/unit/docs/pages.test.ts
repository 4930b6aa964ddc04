import { existsSync, readFileSync, statSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { INode } from 'n8n-workflow';

import { registeredNodes, ROOT } from '../../../tools/docs/registered';
import type { WorkflowFile } from '../../../tools/n8n';
import { unless } from '../../support/unless';
import { anchorsOf, filesIn, linksOf, read, readPages, brokenUrlsIn } from './markdown';

const PAGES = readPages();

/** Pages that GitHub expects under these names, however short. */
const FIXED = ['CODE_OF_CONDUCT.md', 'SECURITY.md'];

describe.each(PAGES)('$file', (page) => {
	it('is long enough to be its own page, and short enough for AI agents to read in full', () => {
		expect(page.text.length).toBeLessThanOrEqual(25_000);
		if (!FIXED.includes(page.file)) expect(page.text.length).toBeGreaterThanOrEqual(1500);
	});

	it('links only to pages, headings, and images that exist', () => {
		const folder = path.dirname(path.join(ROOT, page.file));
		const broken = linksOf(page).filter((link) => {
			if (/^(https?|mailto):/.test(link)) return false;
			const [target = '', anchor] = link.split('#');
			const file = target === '' ? path.join(ROOT, page.file) : path.join(folder, target);
			if (!existsSync(file)) return true;
			return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
		});

		expect([...broken, ...brokenUrlsIn(page.text)]).toEqual([]);
	});
});

/** Files that the guide to a first contribution creates. */
const CREATED = ['count.operation.ts', 'count.test.ts'];

it.each([
	['pages', PAGES, /\b(?:credentials|nodes|sandbox|test|tools)\/[\w/.-]+\.(?:ts|mjs|js)\b/g, ''],
	[
		'the table of mechanisms',
		PAGES.filter(({ file }) => file === 'docs/internals/field-facts.md'),
		/(?<=`)(?:actions|calls|pbx|triggers|util)\/[\w/.-]+(?=`)/g,
		'nodes/VirtualPbx',
	],
])('%s name only source files that exist', (_, pages, names, folder) => {
	const named = pages.flatMap(({ text }) => text.match(names) ?? []);
	const lost = named.filter((file) => !existsSync(path.join(ROOT, folder, file)));
	expect(named.length).toBeGreaterThan(40);
	expect(lost.filter((file) => !CREATED.includes(path.basename(file)))).toEqual([]);
});

it('every picture is on a page, and all of them together are small', () => {
	const pictures = filesIn('docs/pictures', /\.\w+$/);
	const shown = PAGES.flatMap((page) =>
		linksOf(page).map((link) => path.posix.join(path.posix.dirname(page.file), link)),
	);
	expect(pictures.filter((file) => !shown.includes(file))).toEqual([]);
	const sizes = pictures.map((file) => statSync(path.join(ROOT, file)).size);
	expect(sizes.reduce((all, size) => all + size, 0)).toBeLessThanOrEqual(1_300_000);
});

describe('the nodes and credentials', () => {
	it('link only to files of this repository that exist', () => {
		const files = ['nodes', 'credentials'].flatMap((folder) => filesIn(folder, /\.(ts|json)$/));
		expect(files.map(read).flatMap(brokenUrlsIn)).toEqual([]);
	});

	it('link to one documentation page each', async () => {
		const pages = (await registeredNodes()).map(({ description }) => description.documentationUrl);
		expect(new Set(pages).size).toBe(pages.length);
	});
});

describe('the README', () => {
	it('has at most 600 words', () => {
		expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(600);
	});

	it('leads to every page of the docs and examples, within three clicks', () => {
		const linkedFrom = (file: string) =>
			PAGES.filter((page) => page.file === file).flatMap((page) =>
				linksOf(page).map((link) =>
					path.posix.join(path.posix.dirname(file), link.split('#')[0] ?? ''),
				),
			);
		let reached = ['README.md'];
		for (let clicks = 0; clicks < 3; clicks++)
			reached = [...new Set([...reached, ...reached.flatMap(linkedFrom)])];
		const lost = PAGES.map(({ file }) => file).filter((file) => !reached.includes(file));
		expect(lost).toEqual([]);
	});
});

/** Paths of which two nodes need the same one: a page, and the requests that it sends. */
const SHARED_PATHS: Record<string, string> = { 'live-board.json': 'live-board' };

describe('the examples', () => {
	it.each(filesIn('examples', /\.json$/))(
		'%s is listed, and has no fixed webhook path, so n8n generates one for each import',
		(file) => {
			const name = path.posix.relative('examples', file);
			expect(read('examples/README.md')).toContain(`[${name}](${name})`);
			const { nodes } = JSON.parse(read(file)) as WorkflowFile;
			const isFixed = ({ webhookId, parameters }: INode) =>
				webhookId !== undefined ||
				![undefined, '', SHARED_PATHS[name]].includes(parameters.path as string);
			expect(nodes.filter(isFixed)).toEqual([]);
		},
	);
});

/** Returns the published code as one text. */
function readSources(): string {
	const files = ['nodes', 'credentials'].flatMap((folder) => filesIn(folder, /\.ts$/));
	return files.map(read).join('\n').replace(/\\'/g, "'").replace(/\s+/g, ' ');
}

/** Finds the fixed parts of a page's messages: quotes, and first columns of tables headed “Message”. */
function quotesIn(file: string): string[] {
	const text = read(file);
	const tables = [...text.matchAll(/^\| Message[^|]*\|.*\n\|[ -|]*\n((?:\|.*\n)+)/gm)];
	const rows = tables.flatMap((table) => (table[1] ?? '').trim().split('\n'));
	const quotes = [...text.matchAll(/“([^”]+)”/g)].map((match) => match[1] ?? '');
	return [...rows.map((row) => row.split('|')[1] ?? ''), ...quotes]
		.flatMap((quote) => quote.split(/…|: | \/ |\(|\)/))
		.map((part) => part.replace(/^[\s,.:;"]+|[\s,.:;"]+$/g, ''))
		.filter((part) => part.length > 3);
}

it.each(['docs/troubleshooting.md', 'docs/credential.md'])(
	'%s quotes only messages that exist',
	(file) => {
		const sources = readSources();
		const quotes = quotesIn(file);
		expect(quotes.length).toBeGreaterThan(5);
		expect(quotes.filter((part) => !sources.includes(part))).toEqual([]);
	},
);

const MODULES = path.join(ROOT, '.n8n/node_modules');
const ofN8n = (file: string) => readFileSync(path.join(MODULES, file), 'utf8');

/** Returns the matching files of one of n8n's packages as one text. */
function sources(folder: string, files: RegExp): string {
	return readdirSync(path.join(MODULES, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => files.test(name))
		.map((name) => ofN8n(path.join(folder, name)))
		.join('\n');
}

const isInstalled = existsSync(path.join(MODULES, 'n8n'));
const describeInstalled = unless(
	isInstalled ? undefined : "claims about n8n: it isn't installed yet, which `npm run setup` does",
	describe,
);

const EXECUTIONS = '@n8n/config/dist/configs/executions.config.js';
const ENDPOINTS = '@n8n/config/dist/configs/endpoints.config.js';
const GENERIC = '@n8n/config/dist/configs/generic.config.js';
const BINARY_DATA = 'n8n-core/dist/binary-data/binary-data.config.js';
const PACKAGES = 'n8n/dist/modules/community-packages/community-packages.config.js';

/** A page's claim, and the line of the pinned n8n version that proves it. */
const DEFAULTS: Array<[page: string, claim: string, file: string, line: string]> = [
	['docs/privacy.md', 'after 14 days', EXECUTIONS, 'pruneDataMaxAge = 336;'],
	['docs/privacy.md', 'more than 10,000', EXECUTIONS, 'pruneDataMaxCount = 10_000;'],
	['docs/privacy.md', 'once an hour', EXECUTIONS, 'softDelete = 60;'],
	['docs/privacy.md', 'about an hour after that', EXECUTIONS, 'pruneDataHardDeleteBuffer = 1;'],
	['docs/privacy.md', 'saves all of them by default', EXECUTIONS, "saveDataOnSuccess = 'all';"],
	['docs/credential.md', 'up to 15 minutes later', EXECUTIONS, 'hardDelete = 15;'],
	['docs/privacy.md', 'in queue mode, in its database', BINARY_DATA, "'queue' ? 'database' :"],
	['docs/run-at-scale.md', 'at most 512 MiB per file', BINARY_DATA, 'dbMaxFileSize = 512;'],
	['docs/install.md', 'from n8n 3.0 on', PACKAGES, 'unverifiedEnabled = true;'],
	['docs/security-model.md', '`N8N_PAYLOAD_SIZE_MAX` (16 MiB)', ENDPOINTS, 'payloadSizeMax = 16;'],
	['docs/faq.md', 'New York by default', GENERIC, "timezone = 'America/New_York';"],
];

/** Labels in n8n's editor that pages mention. */
const LABELS =
	`Community nodes, Install a community node, Uninstall package, Save failed production executions,
	Save successful production executions, Save manual executions, From file, Data tables, Evaluations,
	Execute step, Copy to editor, Copy debug information, About n8n, Allowed HTTP Request Domains,
	Specific Domains`.split(/,\s+/);

describeInstalled('the pinned n8n version', () => {
	it.each(DEFAULTS)('%s says “%s”', (page, claim, file, line) => {
		expect(read(page)).toContain(claim);
		expect(ofN8n(file)).toContain(line);
	});

	it('has the environment variables that pages mention', () => {
		const texts = readPages().map(({ text }) => text);
		const config = /(?:config|instance-settings|url\.service|dist\/index)\.js$/;
		const code = ['@n8n/config', 'n8n-core/dist', 'n8n/dist'].map((one) => sources(one, config));
		const namesIn = (all: string[]) =>
			new Set(all.join('\n').match(/\b(?:N8N|EXECUTIONS|GENERIC|WEBHOOK)_[A-Z\d_]+\b/g));
		const known = namesIn(code);
		const named = namesIn(texts);

		expect(named.size).toBeGreaterThan(20);
		expect([...named].filter((name) => !known.has(name))).toEqual([]);
	});

	it('has the editor labels that pages mention', () => {
		const editor = sources('n8n-editor-ui/dist/assets', /^src-.*\.js$/);
		const pages = readPages().map(({ text }) => text.replaceAll(' > ', '** **'));

		expect(LABELS.filter((name) => !editor.includes(`\`${name}\``))).toEqual([]);
		expect(LABELS.filter((name) => !pages.some((text) => text.includes(`**${name}**`)))).toEqual(
			[],
		);
	});
});
