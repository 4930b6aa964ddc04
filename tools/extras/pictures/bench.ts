import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';

import { startSandbox } from '../../../sandbox';
import { Editor } from '../../browser/editor';
import { launchBrowser } from '../../browser/launch';
import { withCleanups } from '../../cleanups';
import { freePort } from '../../free-port';
import { ensureCredential, importExamples } from '../../demo/examples';
import { ROOT, startN8n } from '../../n8n';
import type { Credential, N8nClient, Workflow } from '../../n8n';
import { SandboxClient } from '../../sandbox-client';

const FOLDER = path.join(ROOT, 'docs/pictures');

/** An area of a page, in pixels. */
export type Area = { x: number; y: number; width: number; height: number };

/** The subjects of the pictures: n8n with the examples in a browser, and a sandbox PBX. */
export interface Bench {
	browser: Browser;
	editor: Editor;
	n8n: N8nClient;
	pbx: SandboxClient;
	credential: Credential;
	/** The example workflows by file name. */
	examples: Map<string, Workflow>;
	/** Saves a picture of a page or a part of it in docs/pictures. */
	shoot(name: string, what: Page | Locator): Promise<void>;
	/** Saves a picture of an area of the editor. */
	shootArea(name: string, area: Area): Promise<void>;
}

/** Starts everything, passes it to `work`, and stops everything. */
export async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
	await withCleanups(async (later) => {
		const sandbox = await startSandbox({ port: await freePort(8090) });
		later(async () => await sandbox.close());
		const process = await startN8n({ port: await freePort(5678) });
		later(async () => await process.dispose());
		const browser = await launchBrowser();
		later(async () => await browser.close());
		const n8n = await process.signIn();
		const credential = await ensureCredential(n8n, sandbox.url);
		const editor = await Editor.open(browser, process.url);
		await work({
			browser,
			n8n,
			credential,
			editor,
			pbx: new SandboxClient(sandbox.url),
			examples: await importExamples(n8n, credential, sandbox.url),
			async shoot(name, what) {
				await what.screenshot({ path: fileOf(name), animations: 'disabled' });
			},
			async shootArea(name, clip) {
				await editor.page.screenshot({ path: fileOf(name), animations: 'disabled', clip });
			},
		});
	});
}

function fileOf(name: string): string {
	console.log(`▸ docs/pictures/${name}.png`);
	return path.join(FOLDER, `${name}.png`);
}

/** Returns the boxes of the visible elements. */
export async function boxesOf(elements: Locator): Promise<Area[]> {
	const boxes = await Promise.all((await elements.all()).map((one) => one.boundingBox()));
	return boxes.filter((box) => box !== null);
}
