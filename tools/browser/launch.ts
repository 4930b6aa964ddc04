import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A guard against hanging: a busy machine can take many times as long as an idle one. */
const PATIENCE_MS = 180_000;
/** Flags besides Playwright's own. */
const FLAGS = ['--disable-gpu', '--disable-quic', '--disable-sync'];

const launch = async (executablePath: string, args: readonly string[] = []): Promise<Browser> =>
	await chromium.launch({ executablePath, args: [...args, ...FLAGS], timeout: PATIENCE_MS });

/**
 * Starts headless Chromium: the one in CHROMIUM_PATH, one on the PATH, or the one from the dev dependency
 * `@sparticuz/chromium` (Linux on Intel or AMD). If there is none, throws with what to install.
 */
export async function launchBrowser(): Promise<Browser> {
	const folders = (process.env.PATH ?? '').split(path.delimiter);
	const onPath = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
	const found = process.env.CHROMIUM_PATH ?? onPath.find((file) => existsSync(file));
	if (found) return await launch(found);
	if (process.platform === 'linux' && process.arch === 'x64') return await launchPacked();
	throw new Error(
		'No Chromium found. Install Chromium or Chrome, or set CHROMIUM_PATH to its program.',
	);
}

/** The packed Chromium finds the libraries it brings along only through these variables. */
async function launchPacked(): Promise<Browser> {
	const before = { ...process.env };
	process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x';
	try {
		const { default: packed } = await import('@sparticuz/chromium');
		return await launch(await packed.executablePath(), packed.args);
	} finally {
		process.env = before;
	}
}

/** Opens a page that waits patiently for whatever it is asked for. */
export async function openPage(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
	const page = await browser.newPage(options);
	page.setDefaultTimeout(PATIENCE_MS);
	return page;
}
