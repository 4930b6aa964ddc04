import { BOARD_EXAMPLE, BOARD_LOGIN, MAIN_EXAMPLE, publishBoard } from '../../demo/examples';
import { SCALE, shoot } from './bench';
import type { Bench } from './bench';
import { CUSTOMERS, MAIN_NUMBER } from './company';

/** A morning of calls: of each four, the last one is missed. */
const EARLIER = Array.from({ length: 23 }, (_, index) => ({
	...{ from: `1212555013${index % 10}`, to: MAIN_NUMBER, speed: 1000, ring_seconds: 4 },
	...(index % 4 === 3 ? { outcome: 'cancelled' as const } : { talk_seconds: 60 }),
}));

const { linda, james, susan, robert } = CUSTOMERS;

/** Calls in progress. */
const NOW = [
	{ from: linda, caller_name: 'Linda Carter', to: MAIN_NUMBER, ring_seconds: 1, talk_seconds: 600 },
	{ from: '102', to: robert, ring_seconds: 2, talk_seconds: 600 },
	{ from: james, caller_name: 'James Foster', to: '101', ring_seconds: 60, talk_seconds: 1 },
	{ from: susan, caller_name: 'Susan Hayes', to: MAIN_NUMBER, ring_seconds: 60, talk_seconds: 1 },
];

/** Takes the live board during calls. */
export async function shootBoard({ browser, examples, n8n, pbx }: Bench): Promise<void> {
	const board = examples.get(BOARD_EXAMPLE);
	if (!board) throw new Error(`examples/${BOARD_EXAMPLE} is missing`);
	await pbx.reset();
	const url = await publishBoard(n8n, board);
	for (const order of EARLIER) await pbx.call({ ...order, wait: 'delivered' });
	for (const order of NOW) await pbx.call({ ...order, speed: 1 });
	const { user: username, password } = BOARD_LOGIN;
	const page = await browser.newPage({
		...{ colorScheme: 'dark', viewport: { width: 1200, height: 480 }, deviceScaleFactor: SCALE },
		httpCredentials: { username, password },
	});
	await page.goto(url);
	await page.locator('#talking time').nth(1).waitFor();
	await page.waitForTimeout(2500);
	await shoot('live-board', page);
	await n8n.deactivate(board.id);
}

/** Takes the sandbox's page with a call in progress, an earlier one, and deliveries. */
export async function shootSandbox({ browser, examples, n8n, pbx }: Bench): Promise<void> {
	await pbx.reset();
	const published = examples.get(MAIN_EXAMPLE);
	if (published) await n8n.activate(published.id);
	const call = { from: linda, to: MAIN_NUMBER, speed: 100 };
	await pbx.call({ ...call, from: james, to: '102', outcome: 'busy', wait: 'delivered' });
	await pbx.call({ ...call, ring_seconds: 1, talk_seconds: 600, speed: 1 });
	const viewport = { width: 1110, height: 800 };
	const page = await browser.newPage({ viewport, deviceScaleFactor: SCALE });
	await page.goto(`${pbx.url}/`);
	await page.locator('.stage.now.answered').first().waitFor();
	await page.locator('input[name=from]').fill(linda);
	await page.waitForTimeout(2000);
	await shoot('sandbox', page);
	if (published) await n8n.deactivate(published.id);
}
