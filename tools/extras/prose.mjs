// Lints the prose of pages, comments, and the editor's texts: plain words, repeated words, contractions, and the words of tools/extras/prose/words.mjs.
// Usage: npm run prose -- [folder or file …]. By default, everything in CHECKED.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { toString } from 'nlcst-to-string';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRetext from 'remark-retext';
import retextContractions from 'retext-contractions';
import retextEnglish from 'retext-english';
import retextAcronyms from 'retext-redundant-acronyms';
import retextRepeatedWords from 'retext-repeated-words';
import retextSpacing from 'retext-sentence-spacing';
import retextSimplify from 'retext-simplify';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';
import { VFile } from 'vfile';
import { reporter } from 'vfile-reporter';
import { commentsOf, editorTextsOf } from './prose/texts.mjs';
import { TERMS, WORDS } from './prose/words.mjs';
import { ROOT } from '../setup/paths.mjs';

/** Add a folder once `npm run prose -- <folder>` finds nothing. Missing: test, except test/support. */
const CHECKED = [
	...[':(glob)*.md', ':(glob)*.js', ':(glob)*.mjs', 'docs', 'examples', 'tools'],
	...['nodes', 'credentials', 'sandbox', 'test/support'],
];
/** The contract, which can't change, and pages generated from the nodes' texts. */
const IGNORED = ['docs/internals/interface.md', 'docs/reference/'];

/** Quotes of the editor and of errors stay as they are. */
const QUOTE = /“[^”]*”/g;

/** Reports the listed words, sentence by sentence. */
function retextWords({ words }) {
	return (tree, file) =>
		visit(tree, 'SentenceNode', (sentence) => {
			const text = toString(sentence).replace(QUOTE, '“…”');
			for (const { pattern, instead } of words)
				for (const [found] of text.matchAll(pattern))
					file.message(`“${found}”: ${instead}`, { place: sentence.position, source: 'words' });
		});
}

const processorFor = (words) =>
	unified()
		.use(remarkParse)
		.use(remarkGfm)
		.use(
			remarkRetext,
			unified()
				.use(retextEnglish)
				.use(retextSimplify, { ignore: TERMS })
				.use(retextRepeatedWords)
				.use(retextContractions, { straight: true })
				.use(retextAcronyms)
				.use(retextSpacing)
				.use(retextWords, { words }),
		);

/** For labels and messages, checks only the listed words: the plain words are meant for pages. */
const wordsOnly = (words) =>
	unified()
		.use(remarkParse)
		.use(
			remarkRetext,
			unified().use(retextEnglish).use(retextRepeatedWords).use(retextWords, { words }),
		);

const processors = {
	page: processorFor(WORDS.page),
	comments: processorFor(WORDS.comments),
	editor: wordsOnly(WORDS.editor),
};

/** UI names should be bold, with “>” between them. */
const ITALIC_UI = /(?<![\w*])_[A-Z][^_\n`]* → [^_\n`]*_|\*\*[^*\n]* → [^*\n]*\*\*/g;

async function run(kind, file) {
	await processors[kind].run(processors[kind].parse(file), file);
	return file;
}

async function lint(name) {
	const source = readFileSync(path.join(ROOT, name), 'utf8');
	const texts = editorTextsOf(name, source);
	const files = texts ? [await run('editor', new VFile({ path: name, value: texts }))] : [];
	if (name.endsWith('.json')) return files;
	const isPage = name.endsWith('.md');
	const file = new VFile({ path: name, value: isPage ? source : commentsOf(name, source) });
	if (isPage && name !== 'CHANGELOG.md')
		for (const [found] of source.matchAll(ITALIC_UI))
			file.message(`${found}: **A > B**, as n8n writes it`, { source: 'ui-names' });
	return [...files, await run(isPage ? 'page' : 'comments', file)];
}

const chosen = process.argv.slice(2);
const args = ['ls-files', '--', ...(chosen.length > 0 ? chosen : CHECKED)];
const names = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
	.split('\n')
	.filter(
		(name) =>
			/\.(md|ts|mjs|cjs|js)$|^examples\/.*\.json$/.test(name) &&
			!IGNORED.some((ignored) => name.startsWith(ignored)),
	);
const files = (await Promise.all(names.map(lint))).flat();
const found = files.filter(({ messages }) => messages.length > 0);
if (found.length > 0) console.log(reporter(found));
process.exitCode = found.length > 0 ? 1 : 0;
