import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';
import type { WorkflowFile } from '../../../tools/n8n';
import { wrongCommandsIn } from './commands';
import { anchorsOf, codeOf, linksOf, readPages, wrongAddressesIn } from './markdown';

const PAGES = readPages();
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
	name: string;
	version: string;
};

const NODE_HOME = path.join(ROOT, 'nodes/VirtualPbx');
const folders = readdirSync(NODE_HOME, { withFileTypes: true }).filter((one) => one.isDirectory());

/** Paths in the folder of the nodes, which stand without it, such as `operations/index.ts`. */
const NODE_PATH = new RegExp(`^((?:${folders.map(({ name }) => name).join('|')})/[\\w./-]*)$`);

/** Paths of the repository that stand in code, such as `docs/events.md` or `tools/bench/`. */
const REPOSITORY_PATH =
	/^(?:\.\/)?((?:credentials|docs|examples|icons|nodes|sandbox|test|tools|\.github)\/[\w./-]*)$/;

describe.each(PAGES)('$file', (page) => {
	const folder = path.dirname(path.join(ROOT, page.file));

	it('links only to pages, headings and pictures that exist', () => {
		const broken = linksOf(page).filter((link) => {
			if (/^(https?|mailto):/.test(link)) return false;
			const [target = '', anchor] = link.split('#');
			const file = target === '' ? path.join(ROOT, page.file) : path.join(folder, target);
			if (!existsSync(file)) return true;
			return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
		});

		expect(broken).toEqual([]);
	});

	it('names only paths of the repository that exist', () => {
		const words = codeOf(page).flatMap((line) => line.split(/\s+/));
		const paths = words.flatMap((word) => REPOSITORY_PATH.exec(word)?.[1] ?? []);

		const inNodes = words.flatMap((word) => NODE_PATH.exec(word)?.[1] ?? []);

		expect(paths.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
		expect(inNodes.filter((name) => !existsSync(path.join(NODE_HOME, name)))).toEqual([]);
	});

	it('names only commands that exist', () => {
		expect(wrongCommandsIn(codeOf(page))).toEqual([]);
	});

	it('names only files of this repository at GitHub that exist', () => {
		expect(wrongAddressesIn(page.text)).toEqual([]);
	});
});

describe('the nodes and credentials', () => {
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.map((name) => path.join(ROOT, folder, name))
			.filter((name) => /\.(ts|json)$/.test(name)),
	);

	it('send users only to files of this repository at GitHub that exist', () => {
		const texts = files.map((file) => readFileSync(file, 'utf8'));

		expect(texts.flatMap(wrongAddressesIn)).toEqual([]);
	});
});

describe('the pictures', () => {
	const folder = path.join(ROOT, 'docs/pictures');
	const pictures = readdirSync(folder);

	it.each(pictures)('%s is shown somewhere, and is below 200 kB', (name) => {
		const shown = PAGES.some((page) => linksOf(page).some((link) => link.endsWith(`/${name}`)));

		expect(shown).toBe(true);
		expect(statSync(path.join(folder, name)).size).toBeLessThan(200_000);
	});
});

describe('the README', () => {
	const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

	it('leads to every page of the docs and to the examples', () => {
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

	it('says how to install this very package', () => {
		expect(readme).toContain(`npm install ${manifest.name}`);
	});
});

describe('the examples', () => {
	const files = readdirSync(path.join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
		.map((name) => name.split(path.sep).join('/'))
		.filter((name) => name.endsWith('.json'));

	it('are all listed with what they do', () => {
		const list = readFileSync(path.join(ROOT, 'examples/README.md'), 'utf8');

		expect(files.filter((name) => !list.includes(`[${name}](${name})`))).toEqual([]);
	});

	describe.each(files)('%s', (name) => {
		const { nodes } = JSON.parse(
			readFileSync(path.join(ROOT, 'examples', name), 'utf8'),
		) as WorkflowFile;

		it('has a note on the canvas', () => {
			expect(nodes.map(({ type }) => type)).toContain('n8n-nodes-base.stickyNote');
		});

		it('brings no address of its own: n8n makes a random one for each import', () => {
			expect(nodes.filter(({ webhookId }) => webhookId !== undefined)).toEqual([]);
			expect(nodes.filter(({ parameters }) => parameters.path)).toEqual([]);
		});
	});
});
