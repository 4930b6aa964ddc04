import type { Run } from './cell';
import type { Cell, Row, Section } from './matrix';

/** The matrix as Markdown: a list of the faults, each kind of fault with a letter, and a line for requests that end alike. */
export function matrixMarkdown(sections: Section[]): string {
	const rows = sections.flatMap(({ name, rows: own }) => own.map((row) => ({ name, row })));
	const kinds = faultKinds(rows.map(({ row }) => row));
	const offline = sections.flatMap((section) => section.offline);
	const cellsOf = (row: Row) =>
		kinds.map(([fault = '']) => outcome(row.cells.find((cell) => cell.fault.name === fault)));
	const groups = groupBy(rows, ({ row }) => cellsOf(row).join());
	return [
		...kinds.map((faults, index) => `- **${letter(index)}**: ${names(faults)}`),
		'',
		line(['Request', ...kinds.map((_, index) => letter(index))]),
		line(['---', ...kinds.map(() => '---')]),
		...groups.map((group) => line([titleOf(group), ...cellsOf((group[0] as Named).row)])),
		'',
		`These send no request: ${offline.join(', ')}.`,
	].join('\n');
}

interface Named {
	/** The section that the request is tried in. */
	name: string;
	row: Row;
}

/** The names of the faults, those together that end alike at every request. */
function faultKinds(rows: Row[]): string[][] {
	const all = [...new Set(rows.flatMap(({ cells }) => cells.map(({ fault }) => fault.name)))];
	const ends = (name: string) =>
		rows.map(({ cells }) => outcome(cells.find(({ fault }) => fault.name === name))).join();
	return groupBy(all, ends);
}

const letter = (index: number) => String.fromCharCode('A'.charCodeAt(0) + index);
const line = (cells: string[]) => `| ${cells.join(' | ')} |`;

/** Each request once, behind the steps that send it. */
function titleOf(group: Named[]): string {
	const requests = groupBy(group, ({ row }) => row.row);
	return requests
		.map((same) => `${same.map(stepOf).join(', ')} \`${shortened(same[0]?.row.row ?? '')}\``)
		.join('; ');
}

const stepOf = ({ name, row }: Named) =>
	row.step.name.includes('→')
		? row.step.name
		: `${name.replace('Virtual PBX ', '')}: ${row.step.name}`;

const shortened = (request: string) =>
	request.replace('/accounts/:account_id', '…').replace(/:\w+/g, '{id}');

const BODILESS = ' without a body';

/** Names a status once where it does the same with and without a body. */
function names(faults: string[]): string {
	const hasBoth = (status: string) => faults.includes(status) && faults.includes(status + BODILESS);
	return faults
		.filter((name) => !hasBoth(name.replace(BODILESS, '')) || !name.endsWith(BODILESS))
		.map((name) => (/^\d+$/.test(name) && !hasBoth(name) ? `${name} with a body` : name))
		.join(', ');
}

/** What a cell says: how it ends when the fault strikes once, then how it ends when it lasts, unless that is the same. */
function outcome(cell: Cell | undefined): string {
	if (!cell) return '–';
	const [once, always] = [wordOf(cell.once), wordOf(cell.always)];
	return once === always ? once : `${once}/${always}`;
}

function wordOf({ isFine, requests, state }: Run): string {
	return isFine ? `✓${requests}` : `✗${requests}${{ same: '', done: 'd', half: 'h' }[state]}`;
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
