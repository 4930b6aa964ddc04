import { isMet, isRepeated } from './measure';
import type { Claim, Growth, Slice } from './measure';
import type { Result } from './results';

/** The page that {@link makePage} writes, from the root of the repository. */
export const PAGE_FILE = 'docs/performance.md';

/** A slice and its stored run. */
export interface Section {
	slice: Pick<Slice, 'name' | 'title' | 'method' | 'notes'>;
	result: Result;
}

const INTRODUCTION = `# Performance

Made by \`npm run bench\`; do not edit. Every figure is measured beside what a user would use instead, in turns in one run.

- **Only ratios are claims.** A ratio is the median of the rounds' ratios, ours to the rival's; times are context and depend on the machine.
- **Spread** is where 99 of 100 further rounds are expected (the prediction interval of Student's t, of the logarithms of the rounds' ratios): the fewer the rounds, the wider. A ratio whose spread holds 1 says "no difference seen".
- \`npm run bench -- reads\` runs one slice.
`;

/**
 * Makes the page of the stored runs.
 *
 * @returns Markdown, the same for the same runs
 */
export function makePage(sections: readonly Section[]): string {
	const all = sections.flatMap(({ slice, result }) =>
		result.claims.filter(({ aim }) => aim).map((one) => [slice.title, ...cellsOf(one)]),
	);
	const head = ['Slice', ...CLAIM_HEAD];
	return [
		INTRODUCTION + repeated(sections),
		`## Aims\n\n${table(head, all)}\n`,
		...sections.map(describe),
	].join('\n');
}

function repeated(sections: readonly Section[]): string {
	const all = sections
		.flatMap(({ result }) => result.claims)
		.filter(({ again }) => again !== undefined);
	const within = all.filter((one) => isRepeated(one)).length;
	return `- **Again** is the ratio of a second run of all, by \`npm run bench -- --compare\`. ${within} of ${all.length} lie within the spread of the first; the others are marked.\n`;
}

function describe({ slice, result }: Section): string {
	const { claims, growth, date, versions, machine, seconds } = result;
	const run = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
	const parts = [
		`## ${slice.title}`,
		slice.method,
		`![Ratios](performance/${slice.name}.svg)`,
		table(CLAIM_HEAD, claims.map(cellsOf)),
	];
	if (growth.length > 0) parts.push('How it grows with the work:', growthTable(growth));
	if (slice.notes) parts.push(slice.notes);
	parts.push(`_${date}, ${run.join(', ')}, ${machine}; took ${seconds} s._`);
	return `${parts.join('\n\n')}\n`;
}

const CLAIM_HEAD = [
	'What',
	'Against',
	'Ours',
	'Theirs',
	'Ratio',
	'Spread',
	'Again',
	'Rounds',
	'Aim',
	'Met',
];

function cellsOf(one: Claim): string[] {
	const met = isMet(one);
	return [
		one.what,
		one.against,
		`${one.ours} ${one.unit}`,
		`${one.theirs} ${one.unit}`,
		`**${one.ratio}**`,
		one.spread.join(' – '),
		one.again === undefined ? '' : `${one.again}${isRepeated(one) ? '' : ' (outside)'}`,
		String(one.rounds),
		aimOf(one),
		met === undefined ? '' : met ? 'yes' : '**no**',
	];
}

function aimOf({ aim }: Claim): string {
	if (aim?.atMost !== undefined) return `≤ ${aim.atMost}`;
	return aim?.atLeast === undefined ? '' : `≥ ${aim.atLeast}`;
}

function growthTable(growth: readonly Growth[]): string {
	const rows = growth.flatMap(({ what, unit, points }) =>
		points.map(({ work, value }) => {
			const [first] = points;
			const times = (now: number, before = NaN) => `${Number((now / before).toPrecision(3))}×`;
			return [
				what,
				String(work),
				`${value} ${unit}`,
				times(work, first?.work),
				times(value, first?.value),
			];
		}),
	);
	return table(['What', 'Work', 'Figure', 'Work grown', 'Figure grown'], rows);
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
