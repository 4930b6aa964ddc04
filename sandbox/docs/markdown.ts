const NARROWEST = 3;

/** Lays rows out as a Markdown table with even columns, as prettier would; the first row is the head. */
export function table(rows: string[][]): string {
	const escaped = rows.map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
	const widths = (escaped[0] ?? []).map((_, column) =>
		Math.max(NARROWEST, ...escaped.map((cells) => cells[column]?.length ?? 0)),
	);
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
	const [head = [], ...body] = escaped.map(line);
	return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

/** Says that a file is made by a script. */
export const MADE = '<!-- Made by `npx tsx sandbox/docs`; do not edit by hand. -->';
