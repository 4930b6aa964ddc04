import { markdownTable } from 'markdown-table';
import type { Measured, Settings } from './measured';
import { UNLIMITED } from './settings';

/** The measured settings as tables of Markdown, one for each mode of n8n. */
export function settingsTables(rows: readonly Measured[]): string {
	const parts = [
		['One n8n, with SQLite', rows.filter(({ mode }) => mode === 'regular')],
		['Queue mode: one webhook process, one worker', rows.filter(({ mode }) => mode === 'queue')],
	] as const;
	return parts.map(([title, some]) => `**${title}**\n\n${tableOf(some)}`).join('\n\n');
}

const HEAD = [
	'Settings',
	'Events a second',
	'Answer, p50 (ms)',
	'Answer, p99 (ms)',
	'Memory before (MiB)',
	'Memory at most (MiB)',
	'Processor time of an event (ms)',
];

function tableOf(rows: readonly Measured[]): string {
	const cells = rows.map((one) => {
		const held = Object.entries(one.memory).filter(
			([role]) => rows[0]?.mode === 'regular' || role !== 'main',
		);
		const sum = (key: 'rest' | 'peak') => held.reduce((all, [, figures]) => all + figures[key], 0);
		const spent = Object.values(one.event).reduce((all, ms) => all + ms, 0);
		return [
			nameOf(one),
			`${plain(one.perSecond)}${rangeOf(one)}`,
			...[one.answer.p50, one.answer.p99, sum('rest'), sum('peak')].map(plain),
			plain(spent),
			...(one.rows === undefined ? [] : [plain(one.rows)]),
		];
	});
	const isQueue = rows[0]?.mode === 'queue';
	return markdownTable([isQueue ? [...HEAD, 'Rows written for an event'] : HEAD, ...cells]);
}

const rangeOf = ({ range }: Measured) => (range ? ` (${range.map(plain).join('–')})` : '');

const plain = (figure: number) => Number(figure.toPrecision(3)).toLocaleString('en-US');

/** Names settings by what differs from n8n's defaults. */
export function nameOf({ mode, engine, pool, saved, limit }: Settings): string {
	const usual = mode === 'regular' ? UNLIMITED : 10;
	const parts = [
		...(engine === 'vm' ? [] : [`\`${engine}\` engine`]),
		...(pool === 1 ? [] : [`pool of ${pool}`]),
		...(saved ? [] : ['successful executions not saved']),
		...(limit === usual ? [] : [`at most ${limit} executions at once`]),
	];
	return parts.length === 0 ? "n8n's defaults" : parts.join(', ');
}
