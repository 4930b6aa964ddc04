import type { INode } from 'n8n-workflow';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { registeredNodes, ROOT } from '../../../tools/docs/registered';
import type { WorkflowFile } from '../../../tools/n8n';
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

it('the table of mechanisms names only code that exists', () => {
	const text = read('docs/internals/field-facts.md');
	const named = text.match(/(?<=`)(?:actions|calls|pbx|triggers|util)\/[\w/.-]+(?=`)/g) ?? [];
	expect(named.length).toBeGreaterThan(40);
	const lost = named.filter((file) => !existsSync(path.join(ROOT, 'nodes/VirtualPbx', file)));
	expect(lost).toEqual([]);
});

it('pages name only source files that exist', () => {
	const NAMES = /\b(?:credentials|nodes|sandbox|test|tools)\/[\w/.-]+\.(?:ts|mjs|js)\b/g;
	const named = PAGES.flatMap(({ text }) => text.match(NAMES) ?? []);
	const lost = named.filter((file) => !existsSync(path.join(ROOT, file)));

	expect(named).toContain('nodes/VirtualPbx/actions/index.ts');
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

	it('leads to every page of the docs and examples', () => {
		const reachable = new Set(['README.md']);
		for (const file of reachable) {
			const page = PAGES.find((candidate) => candidate.file === file);
			for (const link of page ? linksOf(page) : []) {
				const target = path.posix.join(path.posix.dirname(file), link.split('#')[0] ?? '');
				if (target.endsWith('.md')) reachable.add(target);
			}
		}

		const lost = PAGES.map(({ file }) => file).filter((file) => !reachable.has(file));
		expect(lost.filter((file) => file !== 'CODE_OF_CONDUCT.md')).toEqual([]);
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
