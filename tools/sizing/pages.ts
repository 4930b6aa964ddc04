import { markdownTable } from 'markdown-table';
import type { Stamp } from '../bench/results';
import { number, stampWords } from '../endurance/page';
import type { Checked } from './check';
import { compareAll } from './compare';
import type { Compared } from './compare';
import { ENGINE_NAMES } from './measured';
import type { Engine } from './measured';
import type { Need } from './need';

/** A check with the stamp of its run. */
export type StoredCheck = Stamp & Checked;

/** The numbers of processes for docs/queue-mode.md, in Markdown. */
export function needsPart(needs: readonly Need[]): string {
	const kinds = new Map(needs.map(({ engine, use }) => [`${engine} ${use}`, { engine, use }]));
	return [...kinds.values()].map(({ engine, use }) => needsOf(needs, engine, use)).join('\n\n');
}

function needsOf(needs: readonly Need[], engine: Engine, use: string): string {
	const own = needs.filter((need) => need.engine === engine && need.use === use);
	const head = [
		'Calls a second',
		'Webhook processes: even / bursts',
		'Workers: even / bursts',
		'Cores: even / bursts',
		'Memory (GiB): even / bursts',
		'Rows written a second',
		'Answer p50 (ms): even / bursts',
		'Answer p99 (ms): even / bursts',
		'Execution begins p99 (ms): even / bursts',
	];
	const rates = [...new Set(own.map(({ rate }) => rate))].filter(isPowerOfTen);
	const rows = rates.map((rate) => {
		const [even, bursts] = (['even', 'bursts'] as const).map((rhythm) =>
			own.find((need) => need.rate === rate && need.rhythm === rhythm),
		);
		const both = (value: (need: Need) => number) =>
			[even, bursts].map((need) => (need ? number(value(need)) : '–')).join(' / ');
		return [
			number(rate),
			both(({ webhooks }) => webhooks),
			both(({ workers }) => workers),
			both(({ cores }) => cores),
			both(({ memory }) => memory),
			number(even?.rows ?? NaN),
			both(({ answer }) => answer.p50),
			both(({ answer }) => answer.p99),
			both(({ waiting }) => waiting),
		];
	});
	return `**${ENGINE_NAMES[engine]}, ${use}**\n\n${markdownTable([head, ...rows])}`;
}

/** Whether a table shows this rate; the chart has them all. */
const isPowerOfTen = (rate: number) => Number.isInteger(Math.log10(rate));

/** How the model compares with what was measured, in Markdown. */
export function checkPart(checks: readonly StoredCheck[]): string {
	const compared = compareAll(checks);
	const engines = [...new Set(checks.map(({ engine }) => engine))];
	const [first] = checks;
	const seconds = checks.reduce((sum, one) => sum + one.seconds, 0);
	return [
		...engines.map((engine) => comparedOf(compared, engine)),
		errorOf(compared),
		...(first ? [`_${stampWords({ ...first, seconds })}._`] : []),
	].join('\n\n');
}

function comparedOf(compared: readonly Compared[], engine: Engine): string {
	const own = compared.filter((one) => one.engine === engine);
	const counts = [...new Set(own.map(({ count }) => count))];
	const head = [
		`${ENGINE_NAMES[engine]}: model / measured`,
		...counts.map((count) => `${count} + ${count} processes`),
	];
	const rows = [...new Set(own.map(({ what }) => what))].map((what) => [
		what,
		...counts.map((count) => {
			const one = own.find((other) => other.what === what && other.count === count);
			return one ? `${number(one.model)} / ${number(one.measured)} = **${one.ratio}**` : '–';
		}),
	]);
	return markdownTable([head, ...rows]);
}

/** Says in a sentence how far the model is off. */
function errorOf(compared: readonly Compared[]): string {
	const range = (words: string) => {
		const ratios = compared.filter(({ what }) => what.includes(words)).map(({ ratio }) => ratio);
		return `${Math.min(...ratios)} to ${Math.max(...ratios)}`;
	};
	return `The model's figure divided by the measured one is ${range('a second')} for events a second, ${range('p50')} for the median answer, ${range('answer p99')} for the p99 of answers, and ${range('begins')} for the start of executions.`;
}
