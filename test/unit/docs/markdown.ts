import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';

/** A page of the documentation. */
export interface Page {
	/** Relative to the repository's root. */
	file: string;
	text: string;
}

const ROOT_PAGES = ['README', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY', 'CODE_OF_CONDUCT'];

/** Reads a file, by its path from the repository's root. */
export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** Lists the files in a folder whose names match, relative to the repository's root. */
export function filesIn(folder: string, ending: RegExp): string[] {
	return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.map((name) => path.posix.join(folder, name))
		.filter((name) => ending.test(name));
}

/** Reads every page for people: those in the root, docs/, examples/, and sandbox/. */
export function readPages(): Page[] {
	const root = ROOT_PAGES.map((name) => `${name}.md`);
	const folders = ['docs', 'examples', 'sandbox'].flatMap((folder) => filesIn(folder, /\.md$/));
	return [...root, ...folders].map((file) => ({ file, text: read(file) }));
}

/** Returns the targets of a page's links and images. */
export function linksOf({ text }: Page): string[] {
	const targets = withoutFences(text).matchAll(/\]\(([^)]+)\)|<img src="([^"]+)"/g);
	return [...targets].map((match) => match[1] ?? match[2] ?? '');
}

/** Returns the anchors that GitHub generates for a page's headings. */
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

/** Finds GitHub URLs of files that this repository doesn't have. */
export function brokenUrlsIn(text: string): string[] {
	const files =
		/https:\/\/github\.com\/n8n-nodes-virtual-pbx\/n8n-nodes-virtual-pbx\/(?:blob|tree|raw)\/[^/]+\/([^\s)"'<>`?#]+)/g;
	return [...text.matchAll(files)]
		.map((match) => match[1] ?? '')
		.filter((file) => !existsSync(path.join(ROOT, file)));
}

function withoutFences(text: string): string {
	return text.replace(/^```[\s\S]*?^```/gm, '');
}
