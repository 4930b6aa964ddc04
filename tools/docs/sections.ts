import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from './registered';

/**
 * Returns a page with new content in the section between its markers `<!-- name -->` and `<!-- /name -->`. `page` is
 * relative to the repository's root. Throws if the page has no such markers.
 */
export function withSection(page: string, name: string, content: string): string {
	const text = readFileSync(path.join(ROOT, page), 'utf8');
	const [before, rest] = text.split(`<!-- ${name} -->`);
	const [, after] = rest?.split(`<!-- /${name} -->`) ?? [];
	if (after === undefined) throw new Error(`${page} has no markers for ${name}`);
	return `${before}<!-- ${name} -->\n\n${content}\n\n<!-- /${name} -->${after}`;
}
