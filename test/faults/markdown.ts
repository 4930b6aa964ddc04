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
const titleOf = ({ step, row }: Row) =>
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
	return cell ? `${wordsOf(cell.once)} | ${wordsOf(cell.always)}` : '';
}

function wordsOf({ isFine, requests, state }: Run): string {
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

/** Puts the matrix between its marks in the document. */
export function intoDocument(document: string, matrix: string): string {
	return document.replace(
		/<!-- matrix -->[^]*<!-- \/matrix -->/,
		() => `<!-- matrix -->\n\n${matrix.trim()}\n\n<!-- /matrix -->`,
	);
}
