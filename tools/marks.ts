/**
 * Puts parts into a page, each between its marks `<!-- name -->` and `<!-- /name -->`.
 *
 * @param parts by the names of their marks, in Markdown
 */
export function putParts(page: string, parts: Record<string, string>): string {
	return Object.entries(parts).reduce((text, [name, part]) => {
		const marked = new RegExp(`(<!-- ${name} -->\\n)[^]*?(<!-- /${name} -->)`);
		return text.replace(
			marked,
			(_, before: string, after: string) => `${before}\n${part}\n\n${after}`,
		);
	}, page);
}
