import type { Run } from './cell';
import type { Cell, Row, Section } from './matrix';

/** The matrix as Markdown: a list of the faults, each kind of fault with a letter, and a line for requests that end alike. */
export function matrixMarkdown(sections: Section[]): string {
	const rows = sections.flatMap((section) => section.rows);
	const kinds = faultKinds(rows);
	const offline = sections.flatMap((section) => section.offline);
	const cellsOf = (row: Row) =>
		kinds.map(([fault = '']) => outcome(row.cells.find((cell) => cell.fault.name === fault)));
	const groups = groupBy(rows, (row) => cellsOf(row).join());
	return [
		...kinds.map((faults, index) => `- **${letter(index)}**: ${names(faults)}`),
		'',
		line(['Request', ...kinds.map((_, index) => letter(index))]),
		line(['---', ...kinds.map(() => '---')]),
		...groups.map((group) => line([titles(group), ...cellsOf(group[0] as Row)])),
		'',
		`These send no request: ${offline.join(', ')}.`,
	].join('\n');
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
const titles = (group: Row[]) =>
	groupBy(group, ({ row }) => row)
		.map((same) => `${same.map(({ step }) => nameOf(step)).join(', ')} ${requestOf(same[0])}`)
		.join('; ');

const nameOf = ({ name, section }: Row['step']) =>
	name.includes('→') ? name : `${section.replace('Virtual PBX ', '')}: ${name}`;

const requestOf = (row: Pick<Row, 'row'> | undefined) =>
	`\`${(row?.row ?? '').replace('/accounts/:account_id', '…').replace(/:\w+/g, '{id}')}\``;

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
	const words = [cell?.once, cell?.always].flatMap((run) => (run ? [wordOf(run)] : []));
	return [...new Set(words)].join('/') || '–';
}

/** How the document says in what a run ended. */
export function wordOf({ isFine, requests, state }: Run): string {
	return isFine ? `✓${requests}` : `✗${requests}${{ same: '', done: 'd', half: 'h' }[state]}`;
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): T[][] {
	const groups = new Map<string, T[]>();
	for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
	return [...groups.values()];
}

/**
 * What the document says of each request and fault.
 *
 * @returns by {@link keyOf}: how a step ends when the fault strikes once, and when it lasts
 */
export function readMatrix(document: string): Map<string, readonly [string, string]> {
	const kinds = [...document.matchAll(/^- \*\*[A-Z]\*\*: (.*)$/gm)].map(([, faults = '']) =>
		faults.split(', ').flatMap(faultsNamed),
	);
	const rows = [...document.matchAll(/^\| (.*?`) \| (.*) \|$/gm)];
	return new Map(
		rows.flatMap(([, requests = '', cells = '']) => {
			const steps = requests.split('; ').flatMap(stepsNamed);
			return cells.split(' | ').flatMap((cell, index) => {
				const [once = '', always = once] = cell.split('/');
				const keys = (kinds[index] ?? []).flatMap((fault) =>
					steps.map((step) => `${step}, ${fault}`),
				);
				return keys.map((key) => [key, [once, always] as const] as const);
			});
		}),
	);
}

/** The key of {@link readMatrix}. */
export const keyOf = ({ step, row }: Pick<Row, 'step' | 'row'>, fault: string): string =>
	`${nameOf(step)} ${requestOf({ row })}, ${fault}`;

/** The steps that share a request, each with the request. */
function stepsNamed(requests: string): string[] {
	const [, steps = '', request = ''] = /^(.*) (`.*`)$/.exec(requests) ?? [];
	return steps.split(', ').map((step) => `${step} ${request}`);
}

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
