import path from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Browser, Locator, Page } from 'playwright-core';
import sharp from 'sharp';

import { startSandbox } from '../../../sandbox';
import type { Sandbox } from '../../../sandbox';
import { Hubspot } from '../../../test/support/services/hubspot';
import { startInternet } from '../../../test/support/services/internet';
import { Editor } from '../../browser/editor';
import { launchBrowser } from '../../browser/launch';
import { withCleanups } from '../../cleanups';
import { freePort } from '../../free-port';
import { ensureCredential, importExamples } from '../../demo/examples';
import { ROOT, startN8n } from '../../n8n';
import type { Credential, N8nClient, Workflow } from '../../n8n';
import { SANDBOX_LOGIN, SandboxClient } from '../../sandbox-client';
import { DAYTIME } from './company';

const FOLDER = path.join(ROOT, 'docs/pictures');

/** The resolution of sharp screens, and twice the width at which GitHub shows a picture. */
export const SCALE = 2;
const MAX_WIDTH = 1660;

/** An area of a page, in pixels. */
export type Area = { x: number; y: number; width: number; height: number };

/** The subjects of the pictures: n8n with the examples in a browser, and a sandbox PBX. */
export interface Bench {
	browser: Browser;
	editor: Editor;
	n8n: N8nClient;
	sandbox: Sandbox;
	pbx: SandboxClient;
	/** The CRM that n8n reaches as HubSpot. */
	hubspot: Hubspot;
	credential: Credential;
	/** The credentials of the PBX and of all services. */
	credentials: Credential[];
	/** The example workflows by file name. */
	examples: Map<string, Workflow>;
}

/** Credentials of services that no picture's workflow calls: without them, their nodes have red marks. */
const UNUSED: Record<string, ICredentialDataDecryptedObject> = {
	...{ pipedriveApi: { apiToken: 'unused' }, zendeskApi: { subdomain: 'company' } },
	...{ googleSheetsOAuth2Api: {}, googleDriveOAuth2Api: {}, openAiApi: { apiKey: 'unused' } },
	...{ telegramApi: { accessToken: 'unused' }, smtp: { host: 'localhost' }, crypto: {} },
	httpBearerAuth: { token: 'unused' },
};

/** Starts everything, passes it to `work`, and stops everything. */
export async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
	await withCleanups(async (later) => {
		const sandbox = await startSandbox({ port: await freePort(8090) });
		later(async () => await sandbox.close());
		const hubspot = new Hubspot();
		const internet = await startInternet([hubspot]);
		later(async () => await internet.close());
		const process = await startN8n({
			port: await freePort(5678),
			env: { ...internet.env, GENERIC_TIMEZONE: DAYTIME },
		});
		later(async () => await process.dispose());
		const browser = await launchBrowser();
		later(async () => await browser.close());
		const n8n = await process.signIn();
		const made = await ensureCredential(n8n, sandbox.url);
		const data = { baseUrl: sandbox.url, ...SANDBOX_LOGIN, country: 'US' };
		const credential = await n8n.updateCredential(made, data);
		const credentials = [credential];
		const others = { ...UNUSED, [hubspot.credentialType]: hubspot.credential() };
		for (const [type, own] of Object.entries(others))
			credentials.push(await n8n.createCredential(type, `Account of ${type}`, own));
		const editor = await Editor.open(browser, process.url, { deviceScaleFactor: SCALE });
		const examples = await importExamples(n8n, credential, sandbox.url);
		const pbx = new SandboxClient(sandbox.url);
		await work({
			...{ browser, n8n, credential, credentials, editor },
			...{ sandbox, pbx, hubspot, examples },
		});
	});
}

/** Takes a picture of a page, of a part of it, or of an area. */
export async function shoot(name: string, what: Page | Locator, clip?: Area): Promise<void> {
	await save(name, await what.screenshot({ animations: 'disabled', ...(clip && { clip }) }));
}

/** Saves a picture in docs/pictures. */
export async function save(name: string, picture: Buffer): Promise<void> {
	console.log(`▸ docs/pictures/${name}.webp`);
	await sharp(picture)
		.resize({ width: MAX_WIDTH, withoutEnlargement: true })
		.webp({ quality: 80 })
		.toFile(path.join(FOLDER, `${name}.webp`));
}

/** Returns the boxes of the visible elements. */
export async function boxesOf(elements: Locator): Promise<Area[]> {
	const boxes = await Promise.all((await elements.all()).map((one) => one.boundingBox()));
	return boxes.filter((box) => box !== null);
}
