import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../../tools/docs/registered';

/** A page of the documentation. */
export interface Page {
	/** From the repository's root. */
	file: string;
	text: string;
}

const ROOT_PAGES = [
	'README.md',
	'CONTRIBUTING.md',
	'CHANGELOG.md',
	'SECURITY.md',
	'CODE_OF_CONDUCT.md',
];

function pagesIn(folder: string): string[] {
	return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.md'))
		.map((name) => path.posix.join(folder, name));
}

/** Every page that people read: those in the root, docs/, examples/ and sandbox/. */
export function readPages(): Page[] {
	return [...ROOT_PAGES, ...['docs', 'examples', 'sandbox'].flatMap(pagesIn)].map((file) => ({
		file,
		text: readFileSync(path.join(ROOT, file), 'utf8'),
	}));
}

/** The targets of links and pictures in a page. */
export function linksOf({ text }: Page): string[] {
	const targets = withoutFences(text).matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g);
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

/** All inline code and the lines of all code blocks. */
export function codeOf({ text }: Page): string[] {
	const fences = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)];
	const lines = fences.flatMap((match) => (match[1] ?? '').split('\n'));
	const inline = [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
	return [...lines, ...inline].map((line) => line.trim()).filter(Boolean);
}

/** The folders that hold what an address of this repository at GitHub names, by its beginning. */
const AT_GITHUB: Array<[RegExp, string]> = [
	[/^(?:blob|tree|raw)\/[^/]+\/([^?#]+)/, ''],
	[/^issues\/new\?template=([^&#]+)/, '.github/ISSUE_TEMPLATE'],
	[/^actions\/workflows\/([^/?#]+)/, '.github/workflows'],
];

/** Those addresses of this repository at GitHub that name a file which it does not have. */
export function wrongAddressesIn(text: string): string[] {
	const own =
		/https:\/\/github\.com\/n8n-nodes-virtual-pbx\/n8n-nodes-virtual-pbx\/([^\s)"'<>`]+)/g;
	return [...text.matchAll(own)].flatMap(([address, rest = '']) => {
		const missing = AT_GITHUB.some(([pattern, folder]) => {
			const name = pattern.exec(rest)?.[1];
			return name !== undefined && !existsSync(path.join(ROOT, folder, name));
		});
		return missing ? [address] : [];
	});
}

function withoutFences(text: string): string {
	return text.replace(/^```[\s\S]*?^```/gm, '');
}
