import { parseSync } from 'oxc-parser';

const DIRECTIVE = /^[\s*]*(eslint-|prettier-|@ts-)/;

/** Returns the comments of a source file as Markdown with the same line numbers. */
export function commentsOf(name, source) {
	const lines = source.split('\n').map(() => '');
	for (const { value, start } of parseSync(name, source).comments) {
		if (DIRECTIVE.test(value)) continue;
		const first = source.slice(0, start).split('\n').length - 1;
		const texts = value.split('\n').map((line) => line.replace(/^[\s*]+/, '').trimEnd());
		for (const [index, text] of texts.entries()) lines[first + index] = text;
	}
	return lines.join('\n');
}
