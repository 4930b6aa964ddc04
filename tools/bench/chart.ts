import { init } from 'echarts';
import type { ECharts } from 'echarts';
import type { Claim } from './measure';
import { isMet } from './measure';

const COLOURS = { met: '#2e7d32', missed: '#c62828', plain: '#546e7a' };
const WIDTH = 900;
const ROW = 34;
const FRAME = 90;

/**
 * Draws the ratios of claims as bars beside a line at 1, which stands for the rival.
 *
 * @returns an SVG, the same for the same claims
 */
export function drawChart(title: string, claims: readonly Claim[]): string {
	const height = FRAME + claims.length * ROW;
	const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
	chart.setOption({
		animation: false,
		backgroundColor: '#ffffff',
		title: { text: title, subtext: 'ratio to the rival, whose own is 1', left: 10, top: 5 },
		grid: { left: 430, right: 60, top: 60, bottom: 30 },
		xAxis: { type: 'value', min: 0 },
		yAxis: {
			type: 'category',
			inverse: true,
			data: claims.map(({ what, against }) => `${what}\nto ${against}`),
			axisLabel: { fontSize: 11, width: 410, overflow: 'truncate' },
		},
		series: [
			{
				type: 'bar',
				data: claims.map((one) => ({ value: one.ratio, itemStyle: { color: colourOf(one) } })),
				label: { show: true, position: 'right' },
				markLine: {
					symbol: 'none',
					label: { show: false },
					lineStyle: { color: '#000000' },
					data: [{ xAxis: 1 }],
				},
			},
		],
	});
	return renderChart(chart);
}

function colourOf(one: Claim): string {
	const met = isMet(one);
	if (met === undefined) return COLOURS.plain;
	return met ? COLOURS.met : COLOURS.missed;
}

/**
 * Renders a chart made for a server, and disposes it.
 *
 * @returns an SVG, the same for the same options
 */
export function renderChart(chart: ECharts): string {
	const svg = chart.renderToSVGString();
	chart.dispose();
	// The library counts charts in its names.
	return `${svg.replaceAll(/\bzr\d+-/g, 'zr-')}\n`;
}
