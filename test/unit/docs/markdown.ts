import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';

/** A page of the documentation. */
export interface Page {
	/** From the repository's root. */
	file: string;
	text: string;
}

const ROOT_PAGES = ['README', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY', 'CODE_OF_CONDUCT'];

/** Reads a file, by its path from the repository's root. */
export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** The files below a folder whose names end so, from the repository's root. */
export function filesIn(folder: string, ending: RegExp): string[] {
	return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.map((name) => path.posix.join(folder, name))
		.filter((name) => ending.test(name));
}

/** Every page that people read: those in the root, docs/, examples/ and sandbox/. */
export function readPages(): Page[] {
	const root = ROOT_PAGES.map((name) => `${name}.md`);
	const folders = ['docs', 'examples', 'sandbox'].flatMap((folder) => filesIn(folder, /\.md$/));
	return [...root, ...folders].map((file) => ({ file, text: read(file) }));
}

/** The targets of links and pictures in a page. */
export function linksOf({ text }: Page): string[] {
	const targets = withoutFences(text).matchAll(/\]\(([^)]+)\)|<img src="([^"]+)"/g);
	return [...targets].map((match) => match[1] ?? match[2] ?? '');
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(text: string): string[] {
	const headings = [...withoutFences(text).matchAll(/^#{1,6} (.+)$/gm)];
	return headings.map((match) =>
		(match[1] ?? '')
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.trim()
			.replace(/\s/g, '-'),
	);
}

/** The addresses of files of this repository at GitHub that it does not have. */
export function wrongAddressesIn(text: string): string[] {
	const files =
		/https:\/\/github\.com\/n8n-nodes-virtual-pbx\/n8n-nodes-virtual-pbx\/(?:blob|tree|raw)\/[^/]+\/([^\s)"'<>`?#]+)/g;
	return [...text.matchAll(files)]
		.map((match) => match[1] ?? '')
		.filter((file) => !existsSync(path.join(ROOT, file)));
}

function withoutFences(text: string): string {
	return text.replace(/^```[\s\S]*?^```/gm, '');
}
