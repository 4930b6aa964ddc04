import { parseSync, Visitor } from 'oxc-parser';

/** Comments that other tools read. */
const DIRECTIVE = /^[\s*]*(eslint-|prettier-|@ts-)/;

/** Texts that the editor doesn't show: expressions, fields that only the reference shows, and lists of name:type. */
const SKIPPED = /^=|^[a-z_]+$|^[\w./:@-]+$|^\S+:\S+( \S+:\S+)*$/;
const NOT_SHOWN = new Set(['output', 'key', 'name', 'value']);

/** Returns the texts that users see of a node or an example workflow, one per line; undefined for other files. */
export function editorTextsOf(name, source) {
	if (/^(nodes|credentials)\/.*\.ts$/.test(name)) return literalsOf(name, source);
	return /^examples\/.*\.json$/.test(name) ? notesOf(JSON.parse(source)) : undefined;
}

/** Returns a source's literals on their original lines, so that findings point to them. */
function literalsOf(name, source) {
	const lines = source.split('\n').map(() => []);
	const add = (text, start) => {
		if (!text.includes(' ') || SKIPPED.test(text)) return;
		lines[source.slice(0, start).split('\n').length - 1].push(text.replace(/\s+/g, ' '));
	};
	const hidden = new Set();
	new Visitor({
		Property: ({ key, value }) => void (NOT_SHOWN.has(key.name) && hidden.add(value.start)),
		Literal: ({ value, start }) =>
			void (typeof value === 'string' && !hidden.has(start) && add(value, start)),
		TemplateLiteral: ({ quasis, start }) =>
			add(quasis.map(({ value }) => value.cooked).join('…'), start),
	}).visit(parseSync(name, source).program);
	return lines.map((texts) => texts.join('. ')).join('\n');
}

/** Returns the names of a workflow and its nodes, and the texts of its sticky notes. */
function notesOf({ name, nodes }) {
	const texts = nodes.flatMap(({ name: node, parameters }) => [node, parameters.content ?? '']);
	return [name, ...texts].join('\n\n');
}

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
