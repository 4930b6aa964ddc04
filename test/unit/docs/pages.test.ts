import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';
import { anchorsOf, codeOf, linksOf, readPages } from './markdown';

const PAGES = readPages();
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
	name: string;
	version: string;
	scripts: Record<string, string>;
};

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

		expect(paths.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
	});

	it('names only commands that exist', () => {
		const called = codeOf(page).flatMap((line) => {
			const match = /^npm (?:run ([\w:-]+)|(start|test)\b)/.exec(line);
			return match?.[1] ?? match?.[2] ?? [];
		});

		expect(called.filter((script) => !(script in manifest.scripts))).toEqual([]);
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

describe('the map of the house', () => {
	const map = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');

	it.each(['nodes/VirtualPbx', 'test', 'tools'])('has every folder of %s', (folder) => {
		const folders = readdirSync(path.join(ROOT, folder), { withFileTypes: true })
			.filter((entry) => entry.isDirectory() && entry.name !== 'ai-node-sdk-stub')
			.map(({ name }) => `${name}/`);

		expect(folders.filter((name) => !map.includes(`  ${name}`))).toEqual([]);
	});
});

describe('the examples', () => {
	it('are all listed with what they do', () => {
		const list = readFileSync(path.join(ROOT, 'examples/README.md'), 'utf8');
		const files = readdirSync(path.join(ROOT, 'examples')).filter((name) => name.endsWith('.json'));

		expect(files.filter((name) => !list.includes(`[${name}](${name})`))).toEqual([]);
	});
});
