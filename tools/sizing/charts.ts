import { init } from 'echarts';
import { renderChart } from '../bench/chart';
import type { Checked } from './check';
import { burstOf } from './compare';
import { ENGINE_NAMES } from './measured';
import type { Measured } from './measured';
import { USES } from './need';
import type { Need } from './need';
import { nameOf } from './settingsTable';

const SIZE = { width: 900, height: 420 };
const COLOURS = ['#1565c0', '#c62828', '#2e7d32', '#6a1b9a', '#ef6c00', '#546e7a'];

interface Line {
	name: string;
	points: ReadonlyArray<readonly [number, number]>;
	colour: string | undefined;
	isDashed: boolean;
}

interface Axes {
	type: 'log' | 'value';
	x: string;
	y: string;
}

/**
 * Draws how many processes calls with one event need, in each engine.
 *
 * @returns an SVG, the same for the same needs
 */
export function drawNeeds(needs: readonly Need[]): string {
	const [use] = USES;
	const ofUse = needs.filter((need) => need.use === use?.name);
	const engines = [...new Set(ofUse.map(({ engine }) => engine))];
	const lines = engines.flatMap((engine, index) => {
		const of = (rhythm: Need['rhythm']) =>
			ofUse.filter((need) => need.engine === engine && need.rhythm === rhythm);
		const [even, bursts, workers] = COLOURS.slice(index * 3);
		return [
			lineOf(`${ENGINE_NAMES[engine]}: webhook processes`, of('even'), 'webhooks', even),
			lineOf(`${ENGINE_NAMES[engine]}: … with bursts`, of('bursts'), 'webhooks', bursts),
			lineOf(`${ENGINE_NAMES[engine]}: workers`, of('bursts'), 'workers', workers),
		];
	});
	return draw(`Processes for calls with ${use?.name}`, lines, {
		type: 'log',
		x: 'calls a second',
		y: 'processes',
	});
}

function lineOf(
	name: string,
	needs: readonly Need[],
	key: 'webhooks' | 'workers',
	colour: string | undefined,
): Line {
	const points = needs.map((need) => [need.rate, need[key]] as const);
	return { name, points, colour, isDashed: key === 'workers' };
}

/**
 * Draws how many events a second n8n takes with each of its settings, as bars.
 *
 * @returns an SVG, the same for the same measurement
 */
export function drawSettings(rows: readonly Measured[]): string {
	const height = 90 + rows.length * 26;
	const chart = init(null, null, { renderer: 'svg', ssr: true, width: SIZE.width, height });
	chart.setOption({
		animation: false,
		backgroundColor: '#ffffff',
		title: { text: 'Events a second', left: 10, top: 5 },
		grid: { left: 370, right: 60, top: 50, bottom: 30 },
		xAxis: { type: 'value' },
		yAxis: {
			type: 'category',
			inverse: true,
			data: rows.map((one) => `${WHERE[one.mode]}: ${nameOf(one).replaceAll('`', '')}`),
			axisLabel: { fontSize: 11 },
		},
		series: [
			{
				type: 'bar',
				data: rows.map(({ perSecond, mode }) => ({
					value: perSecond,
					itemStyle: { color: COLOURS[mode === 'regular' ? 0 : 2] },
				})),
				label: { show: true, position: 'right' },
			},
		],
	});
	return withOwnClasses(renderChart(chart));
}

const WHERE = { regular: 'one n8n', queue: 'queue mode' };

/**
 * Draws answers through a burst, measured and by the model.
 *
 * @param checks of one engine, with the one of one process
 * @returns an SVG, the same for the same checks
 */
export function drawBurst(checks: readonly Checked[]): string {
	const lines = checks.flatMap((one, index) => {
		const name = `${one.count} webhook ${one.count === 1 ? 'process' : 'processes'}`;
		const seconds = (list: readonly number[]) => list.map((ms, at) => [at, ms] as const);
		const colour = COLOURS[index];
		return [
			{ name: `${name}, measured`, points: seconds(one.burst.bySecond), colour, isDashed: false },
			{
				name: `${name}, model`,
				points: seconds(burstOf(checks, one) ?? []),
				colour,
				isDashed: true,
			},
		];
	});
	const title = `A second with ten times as many events: ${ENGINE_NAMES[checks[0]?.engine ?? 'vm']}`;
	return draw(title, lines, {
		type: 'value',
		x: 'second of arrival',
		y: 'ms until the answer (median)',
	});
}

function draw(title: string, lines: readonly Line[], { type, x, y }: Axes): string {
	const chart = init(null, null, { renderer: 'svg', ssr: true, ...SIZE });
	const axis = { type, nameLocation: 'middle' } as const;
	chart.setOption({
		animation: false,
		backgroundColor: '#ffffff',
		title: { text: title, left: 10, top: 5 },
		legend: { orient: 'vertical', right: 10, top: 60 },
		grid: { left: 80, right: 270, top: 60, bottom: 60 },
		xAxis: { ...axis, name: x, nameGap: 30 },
		yAxis: { ...axis, name: y, nameGap: 55 },
		series: lines.map(({ name, points, colour, isDashed }) => ({
			name,
			type: 'line',
			symbol: isDashed ? 'none' : 'circle',
			data: points.filter(([, value]) => value > 0),
			itemStyle: { color: colour },
			lineStyle: { type: isDashed ? 'dashed' : 'solid' },
		})),
	});
	return withOwnClasses(renderChart(chart));
}

/** The library counts the classes of all charts of a process. */
function withOwnClasses(svg: string): string {
	const classes = [...new Set(svg.match(/zr-cls-\d+/g))];
	return svg.replaceAll(/zr-cls-\d+/g, (name) => `zr-cls-${classes.indexOf(name)}`);
}
