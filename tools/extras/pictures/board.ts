import type { BrowserContextOptions, Page } from 'playwright-core';

import { publishBoard } from '../../demo/board';
import { BOARD_EXAMPLES, BOARD_LOGIN } from '../../demo/examples';
import type { Workflow } from '../../n8n';
import type { Bench } from './bench';

const TO = '74950000100';

/** A morning of calls: of each four, the last one is missed. */
const EARLIER = Array.from({ length: 23 }, (_, index) => ({
	...{ from: `7999555${String(10 + index)}33`, to: TO, speed: 1000, ring_seconds: 4 },
	...(index % 4 === 3 ? { outcome: 'cancelled' as const } : { talk_seconds: 60 }),
}));

/** Calls in progress. */
const NOW = [
	{ from: '74951234567', to: TO, ring_seconds: 1, talk_seconds: 600 },
	{ from: '102', to: '79161112233', ring_seconds: 2, talk_seconds: 600 },
	{ from: '74957654321', to: '101', ring_seconds: 15, outcome: 'no-answer' as const },
	{ from: '79035550101', to: '102', ring_seconds: 15, outcome: 'no-answer' as const },
];

/** Publishes the live board, and returns its workflows and address. */
export async function prepareBoard({ examples, n8n }: Bench) {
	const [page, writer] = BOARD_EXAMPLES.map((file) => {
		const workflow = examples.get(file);
		if (!workflow) throw new Error(`examples/${file} is missing`);
		return workflow;
	}) as [Workflow, Workflow];
	return { workflows: [page, writer], url: await publishBoard(n8n, page, writer) };
}

/** Opens the live board in its own page. */
export async function openBoard(
	{ browser }: Bench,
	url: string,
	screen: Pick<BrowserContextOptions, 'colorScheme' | 'deviceScaleFactor' | 'viewport'>,
): Promise<Page> {
	const { user: username, password } = BOARD_LOGIN;
	const context = await browser.newContext({ httpCredentials: { username, password }, ...screen });
	const page = await context.newPage();
	await page.goto(url);
	return page;
}

/** Places the calls of a morning. */
export async function placeEarlier({ pbx }: Bench): Promise<void> {
	for (const order of EARLIER) await pbx.call({ ...order, wait: 'delivered' });
}

/** Takes the live board on a wall screen and on a phone, during calls. */
export async function shootBoard(bench: Bench): Promise<void> {
	const { n8n, pbx, shoot } = bench;
	await pbx.reset();
	const { workflows, url } = await prepareBoard(bench);
	await placeEarlier(bench);
	for (const order of NOW) await pbx.call({ ...order, speed: 1 });
	// A single-process Chromium exits with its last page, so the pages stay open until the end.
	for (const [name, colorScheme, width, height] of [
		['live-board', 'dark', 1600, 900],
		['live-board-phone', 'light', 390, 844],
	] as const) {
		const page = await openBoard(bench, url, { colorScheme, viewport: { width, height } });
		await page.getByText('74951234567').waitFor();
		await page.waitForTimeout(2500);
		await shoot(name, page);
	}
	for (const { id } of workflows) await n8n.deactivate(id);
}
