import type { Cell, Row, Section } from './matrix';
import type { Run } from './cell';

/** The matrix as Markdown: under each section, requests with equal outcomes share a table, and equal faults a line. */
export function matrixMarkdown(sections: Section[]): string {
	return sections.flatMap(sectionLines).join('\n');
}

function sectionLines({ name, rows, offline }: Section): string[] {
	const groups = groupBy(rows, (row) => row.cells.map(outcome).join('\n'));
	return [
		`### ${name}`,
		'',
		...(offline.length > 0 ? [`Sends no request: ${offline.map(bold).join(', ')}.`, ''] : []),
		...groups.flatMap((group) => [
			...group.map((row) => `- ${titleOf(row)}`),
			'',
			'| Fault | Once | For good |',
			'| --- | --- | --- |',
			...groupBy(group[0]?.cells ?? [], outcome).map(
				(cells) => `| ${names(cells.map(({ fault }) => fault.name))} | ${outcome(cells[0])} |`,
			),
			'',
		]),
	];
}

const bold = (text: string) => `**${text}**`;
/** How the document names a request of a step. */
export const titleOf = ({ step, row }: Pick<Row, 'step' | 'row'>) =>
	`${bold(step.name)}, at \`${row.replace('/accounts/:account_id', '…').replace(/:\w+/g, '{id}')}\``;

const BODILESS = ' without a body';

/** Names a status once where it does the same with and without a body. */
function names(faults: string[]): string {
	const hasBoth = (status: string) => faults.includes(status) && faults.includes(status + BODILESS);
	return faults
		.filter((name) => !hasBoth(name.replace(BODILESS, '')) || !name.endsWith(BODILESS))
		.map((name) => (/^\d+$/.test(name) && !hasBoth(name) ? `${name} with a body` : name))
		.join(', ');
}

function outcome(cell: Cell | undefined): string {
	return [cell?.once, cell?.always].map((run) => run && wordsOf(run)).join(' | ');
}

/** How the document says what came of a run. */
export function wordsOf({ isFine, requests, state }: Run): string {
	const count = `${requests} request${requests === 1 ? '' : 's'}`;
	if (isFine) return `fine, ${count}`;
	const kept = { same: '', done: ', and done', half: ', half done and told' }[state];
	return `error, ${count}${kept}`;
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): T[][] {
	const groups = new Map<string, T[]>();
	for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
	return [...groups.values()];
}

/**
 * What the document says of each request and fault.
 *
 * @returns by section, request and fault: what comes of a fault that strikes once, and of one for good
 */
export function readMatrix(document: string): Map<string, readonly string[]> {
	const found = new Map<string, readonly string[]>();
	let section = '';
	let titles: string[] = [];
	let wasTitle = false;
	for (const line of document.split('\n').filter(Boolean)) {
		const isTitle = line.startsWith('- ');
		if (line.startsWith('### ')) section = line.slice(4);
		else if (isTitle) titles = [...(wasTitle ? titles : []), line.slice(2)];
		else if (line.startsWith('| ')) {
			const [faults = '', ...outcomes] = line.slice(2, -2).split(' | ');
			const struck = faults.split(', ').flatMap(faultsNamed);
			const keys = titles.flatMap((title) => struck.map((name) => keyOf(section, title, name)));
			for (const key of keys) found.set(key, outcomes);
		}
		wasTitle = isTitle;
	}
	return found;
}

/** The key of {@link readMatrix}. */
export const keyOf = (section: string, title: string, fault: string): string =>
	[section, title, fault].join('\n');

/** The faults that a line names by one name, as `names` has put them together. */
const faultsNamed = (name: string): string[] =>
	/^\d+$/.test(name) ? [name, name + BODILESS] : [name.replace(/^(\d+) with a body$/, '$1')];

/** Puts the matrix between its marks in the document. */
export function intoDocument(document: string, matrix: string): string {
	return document.replace(
		/<!-- matrix -->[^]*<!-- \/matrix -->/,
		() => `<!-- matrix -->\n\n${matrix.trim()}\n\n<!-- /matrix -->`,
	);
}
