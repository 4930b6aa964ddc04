import { markdownTable } from 'markdown-table';
import { number } from '../endurance/page';
import { USES } from './need';
import type { Need } from './need';

/** What to run for so many calls a second, in one table of Markdown: one event of each call, with bursts. */
export function choicePart(needs: readonly Need[]): string {
	const own = needs.filter(({ use, rhythm }) => use === USES[0]?.name && rhythm === 'bursts');
	const of = (engine: string, rate: number) =>
		own.find((need) => need.engine === engine && need.rate === rate);
	const cells = (need: Need | undefined) =>
		need
			? [
					`${number(need.webhooks)} + ${number(need.workers)}`,
					number(need.cores),
					`${number(need.memory)} GiB`,
				]
			: ['–', '–', '–'];
	const rates = [...new Set(own.map(({ rate }) => rate))];
	return markdownTable([
		[
			'Calls a second',
			...['Default engine', 'Legacy engine'].flatMap((engine) => [
				`${engine}: webhook processes + workers`,
				'cores',
				'memory',
			]),
			'Rows written a second',
		],
		...rates.map((rate) => [
			number(rate),
			...cells(of('vm', rate)),
			...cells(of('legacy', rate)),
			number(of('legacy', rate)?.rows ?? of('vm', rate)?.rows ?? NaN),
		]),
	]);
}
