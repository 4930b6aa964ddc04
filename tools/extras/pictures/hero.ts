import path from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

import { ROOT } from '../../n8n';
import type { Workflow } from '../../n8n';
import type { Bench } from './bench';
import { openBoard, placeEarlier, prepareBoard } from './board';
import { MAIN_CALLFLOW } from './editor';
import { nodesArea } from './workflows';

const FILE = path.join(ROOT, 'docs/pictures/hero.webp');
/** The size at which GitHub shows a picture in a README, and the resolution of sharp screens. */
const SIZE = { width: 830, height: 500 };
const SCALE = 2;
const FOOTER = 60;
/** Wide enough to keep the board's text on one line. */
const BOARD_WIDTH = 1100;

const MAIN_NUMBER = '74950000100';
/** An answered call and a missed one. */
const ANSWERED = { from: '74951234567', to: MAIN_NUMBER, ring_seconds: 8, talk_seconds: 60 };
const MISSED = {
	from: '79035550101',
	to: MAIN_NUMBER,
	ring_seconds: 3,
	outcome: 'cancelled',
} as const;

const TO_MAIN_NUMBER = { connect: 'callflow', callflowId: MAIN_CALLFLOW };

/** A picture with a caption, shown for some milliseconds. */
interface Scene {
	picture: Buffer;
	words: string;
	ms: number;
}

/** Takes the README's animation: calls on the live board, then the workflows they started. */
export async function shootHero(bench: Bench): Promise<void> {
	const missed = exampleOf(bench, 'missed-call-to-message.json');
	const routing = await connected(bench, exampleOf(bench, 'route-by-caller.json'));
	for (const { id } of [missed, routing]) await bench.n8n.activate(id);
	const scenes = await shootCalls(bench);
	for (const [workflow, words] of [
		[missed, 'A missed call starts your workflow: find the contact, send a message.'],
		[routing, 'A workflow decides where a live call goes, while the caller waits.'],
	] as const)
		scenes.push({ picture: await shootExecution(bench, workflow), words, ms: 2500 });
	await saveMoving(bench, scenes);
}

function exampleOf({ examples }: Bench, file: string): Workflow {
	const workflow = examples.get(file);
	if (!workflow) throw new Error(`examples/${file} is missing`);
	return workflow;
}

/** Connects a routing workflow to the callflow of the main number. */
async function connected({ n8n }: Bench, workflow: Workflow): Promise<Workflow> {
	const nodes = workflow.nodes.map((node) =>
		node.name === 'Incoming Call'
			? { ...node, parameters: { ...node.parameters, ...TO_MAIN_NUMBER } }
			: node,
	);
	return await n8n.updateWorkflow(workflow.id, { nodes });
}

/** Places calls, and takes the board as they ring, are answered, and are missed. */
async function shootCalls(bench: Bench): Promise<Scene[]> {
	const { pbx } = bench;
	const { url } = await prepareBoard(bench);
	const scale = BOARD_WIDTH / SIZE.width;
	const viewport = { width: BOARD_WIDTH, height: Math.round((SIZE.height - FOOTER) * scale) };
	const screen = { colorScheme: 'dark', viewport, deviceScaleFactor: SCALE / scale } as const;
	const page = await openBoard(bench, url, screen);
	await placeEarlier(bench);
	await page.locator('#missed', { hasText: '5' }).waitFor();
	const scenes: Scene[] = [];
	const take = async (words: string, ms: number) =>
		void scenes.push({ picture: await page.screenshot(), words, ms });

	await pbx.call({ ...ANSWERED, speed: 1 });
	await page.locator('#ringing').getByText(ANSWERED.from).waitFor();
	await take('A customer calls. A page that n8n serves shows who is ringing, …', 2000);
	await page.locator('#talking').getByText(ANSWERED.from).waitFor();
	await take('… who is talking, …', 1200);
	await pbx.call({ ...MISSED, speed: 1, wait: 'delivered' });
	await page.locator('#callBack').getByText(MISSED.from).waitFor();
	await take('… and whom to call back.', 2000);
	return scenes;
}

/** Takes the nodes of a workflow's latest execution. */
async function shootExecution(bench: Bench, { id }: Workflow): Promise<Buffer> {
	const { editor, n8n } = bench;
	const [execution] = await n8n.waitForExecutions(id);
	await editor.goto(`workflow/${id}/executions/${execution?.id}`);
	await editor.part('canvas-node').nth(1).waitFor();
	await editor.page.mouse.move(0, 0);
	await editor.page.waitForTimeout(2500);
	return await editor.page.screenshot({ clip: await nodesArea(bench, false) });
}

/** Saves scenes as an animated WebP with captions. */
async function saveMoving({ browser }: Bench, scenes: Scene[]): Promise<void> {
	const context = await browser.newContext({ viewport: SIZE, deviceScaleFactor: SCALE });
	const page = await context.newPage();
	const frames: Buffer[] = [];
	for (const scene of scenes) frames.push(await framed(page, scene));
	console.log('▸ docs/pictures/hero.webp');
	await sharp(frames, { join: { animated: true } })
		.webp({ delay: scenes.map(({ ms }) => ms), loop: 0, quality: 85 })
		.toFile(FILE);
}

/** Puts a picture above its caption. */
async function framed(page: Page, { picture, words }: Scene): Promise<Buffer> {
	await page.setContent(`
		<style>
			body { margin: 0; height: ${SIZE.height}px; display: flex; flex-direction: column; background: #0f1216 }
			main { flex: 1; position: relative; background: #f6f6f7 }
			img { position: absolute; width: 100%; height: 100%; object-fit: contain }
			footer { height: ${FOOTER}px; display: grid; place-items: center; background: #ff6d5a; color: white;
				font: 600 21px system-ui, sans-serif }
		</style>
		<main><img src="data:image/png;base64,${picture.toString('base64')}"></main>
		<footer></footer>`);
	await page.locator('footer').evaluate((footer, text) => void (footer.textContent = text), words);
	await page.locator('img').evaluate(async (img: HTMLImageElement) => await img.decode());
	return await page.screenshot();
}
