import { isMet, isRepeated } from './measure';
import type { Claim, Slice } from './measure';
import { readResult } from './results';
import type { Result } from './results';

/** The page that {@link makePage} writes, from the root of the repository. */
export const PAGE_FILE = 'docs/performance.md';

/** A slice and its stored run. */
export interface Section {
	slice: Pick<Slice, 'name' | 'title' | 'advice' | 'method'>;
	result: Result;
}

/** The slices that have a stored run, with it. */
export function sectionsOf(slices: readonly Slice[]): Section[] {
	return slices.flatMap((slice) => {
		const result = readResult(slice.name);
		return result ? [{ slice, result }] : [];
	});
}

/**
 * Makes the page of the stored runs.
 *
 * @returns Markdown, the same for the same runs
 */
export function makePage(sections: readonly Section[]): string {
	const again = sections
		.flatMap(({ result }) => result.claims.map(isRepeated))
		.filter((is) => is !== undefined);
	const within = again.filter(Boolean).length;
	const introduction = `# Performance

\`npm run bench\` writes this page. It runs our nodes and what you would use instead in turns on one machine.

- **Ratio**: ours to theirs, the median of all rounds. Only ratios carry over to your machine.
- **Spread**: where 99 of 100 further rounds should lie. If it holds 1, we saw no difference. In a second run, ${within} of ${again.length} ratios lay within it.
- **Aim**: what we want to reach where our code decides, and whether we do (✔) or not (✘).
- **Floor**: what n8n itself takes, with nodes that do nothing else.
`;
	return [introduction, ...sections.map(describe)].join('\n');
}

function describe({ slice, result }: Section): string {
	const { claims, date, versions, machine } = result;
	const parts = [
		`## ${slice.title}`,
		slice.advice,
		table(claims.map(cellsOf)),
		`![Ratios](performance/${slice.name}.svg)`,
		`${slice.method} _${date}, n8n ${versions.n8n}, ${machine}, ${claims[0]?.rounds} rounds._`,
	];
	return `${parts.join('\n\n')}\n`;
}

const HEAD = ['What', 'Against', 'Ours', 'Theirs', 'Ratio (spread)', 'Aim'];

function cellsOf(one: Claim): string[] {
	return [
		`${one.what} (${one.unit})`,
		one.against,
		String(one.ours),
		String(one.theirs),
		`**${one.ratio}** (${one.spread.join('–')}${isRepeated(one) === false ? `, again ${one.again}` : ''})`,
		one.aim ? `≤${one.aim.atMost} ${isMet(one) ? '✔' : '✘'}` : '',
	];
}

function table(rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [line(HEAD), `|${'---|'.repeat(HEAD.length)}`, ...rows.map(line)].join('\n');
}
