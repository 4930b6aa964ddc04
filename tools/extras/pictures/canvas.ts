import type { Locator } from 'playwright-core';
import sharp from 'sharp';

import { SCALE } from './bench';
import type { Area, Bench } from './bench';

/** Around nodes: their names are below them, and the plus button is right of the last one. */
const MARGIN = { left: 60, top: 24, right: 56, bottom: 72 };
/** Columns of nodes in one row of a picture, so that it can be read at 830 pixels. */
const IN_A_ROW = 6;
const STEP = 220;
const GAP = 6;

/** Opens a workflow's canvas at 100 %, without controls that overlap its nodes. */
export async function openCanvas(bench: Bench, workflowId: string): Promise<void> {
	await bench.editor.openWorkflow(workflowId);
	await showCanvas(bench);
}

/** Waits until the open canvas has settled at 100 %, and hides controls that overlap its nodes. */
export async function showCanvas({ editor: { page } }: Bench): Promise<void> {
	await page.keyboard.press('0');
	await page.waitForTimeout(2500);
	const overNodes = '[class*=executionButtons], .vue-flow__panel { visibility: hidden !important }';
	await page.addStyleTag({ content: overNodes });
}

/** Returns the notes of the open canvas. */
export const notesOf = ({ editor }: Bench): Locator => editor.page.locator('.n8n-sticky');

/** Returns the nodes of the open canvas, without its notes. */
export const nodesOf = (bench: Bench): Locator =>
	bench.editor.page.locator('.vue-flow__node').filter({ hasNot: notesOf(bench) });

/** Returns the area around boxes. */
export function areaAround(boxes: Area[], margin = MARGIN): Area {
	const left = Math.min(...boxes.map(({ x }) => x)) - margin.left;
	const top = Math.min(...boxes.map(({ y }) => y)) - margin.top;
	const right = Math.max(...boxes.map(({ x, width }) => x + width)) + margin.right;
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + margin.bottom;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Takes a part of the open canvas, in rows of at most six columns of nodes. */
export async function inRows({ editor }: Bench, lane: Area): Promise<Buffer> {
	await editor.page.addStyleTag({ content: '.n8n-sticky { visibility: hidden }' });
	const all = Math.round(lane.width / STEP);
	const count = Math.ceil(all / IN_A_ROW);
	const width = count === 1 ? lane.width : Math.ceil(all / count) * STEP;
	const rows: Buffer[] = [];
	for (let row = 0; row < count; row += 1) {
		const clip = { ...lane, x: lane.x + row * width, width };
		rows.push(await editor.page.screenshot({ animations: 'disabled', clip }));
	}
	const topOf = (row: number) => Math.round(row * (lane.height + GAP) * SCALE);
	const sheet = { width: Math.round(width * SCALE), height: topOf(count) - GAP * SCALE };
	return await sharp({ create: { ...sheet, channels: 3, background: '#c9ccd3' } })
		.composite(rows.map((input, row) => ({ input, left: 0, top: topOf(row) })))
		.png()
		.toBuffer();
}
