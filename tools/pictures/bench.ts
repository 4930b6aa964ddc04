import { mkdirSync } from 'node:fs';
import path from 'node:path';
import getPort from 'get-port';
import type { Browser, Locator, Page } from 'playwright-core';

import { startSandbox } from '../../sandbox';
import { Editor } from '../browser/editor';
import { launchBrowser } from '../browser/launch';
import { ensureCredential, importExamples } from '../demo/examples';
import { ROOT, startN8n } from '../n8n';
import type { Credential, N8nClient, Workflow } from '../n8n';
import { SandboxClient } from '../sandbox-client';

const FOLDER = path.join(ROOT, 'docs/pictures');

/** What pictures are taken of: a real n8n with the examples, in a browser, and a sandbox PBX. */
export interface Bench {
	browser: Browser;
	editor: Editor;
	n8n: N8nClient;
	pbx: SandboxClient;
	credential: Credential;
	/** The example workflows by file name. */
	examples: Map<string, Workflow>;
	/** Takes a picture of a page or of a part of it, into docs/pictures. */
	shoot(name: string, what: Page | Locator): Promise<void>;
}

/** Starts everything, hands it to `work`, and stops everything. */
export async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
	mkdirSync(FOLDER, { recursive: true });
	const sandbox = await startSandbox({ port: await getPort({ port: 8090 }) });
	const process = await startN8n({ port: await getPort({ port: 5678 }) });
	const browser = await launchBrowser();
	try {
		const n8n = await process.signIn();
		const credential = await ensureCredential(n8n, sandbox.url);
		await work({
			browser,
			n8n,
			credential,
			editor: await Editor.open(browser, process.url),
			pbx: new SandboxClient(sandbox.url),
			examples: await importExamples(n8n, credential, sandbox.url),
			async shoot(name, what) {
				await what.screenshot({ path: path.join(FOLDER, `${name}.png`), animations: 'disabled' });
				console.log(`✔ docs/pictures/${name}.png`);
			},
		});
	} finally {
		await browser.close();
		await process.dispose();
		await sandbox.close();
	}
}
