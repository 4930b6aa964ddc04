import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Flags besides Playwright's own. */
const FLAGS = ['--disable-gpu', '--disable-quic', '--disable-sync'];

/**
 * Starts headless Chromium: the one in CHROMIUM_PATH, one on the PATH, or the one from the dev
 * dependency `@sparticuz/chromium` (Linux on Intel or AMD). If there is none, throws with what to
 * install.
 */
export async function launchBrowser(): Promise<Browser> {
	const found = process.env.CHROMIUM_PATH ?? onPath();
	if (found) return await chromium.launch({ executablePath: found, args: FLAGS });

	if (process.platform !== 'linux' || process.arch !== 'x64') {
		throw new Error(
			'No Chromium found. Install Chromium or Chrome, or set CHROMIUM_PATH to its program.',
		);
	}
	return await launchPacked();
}

/** The packed Chromium finds the libraries it brings along only through these variables. */
async function launchPacked(): Promise<Browser> {
	const before = { ...process.env };
	process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x';
	try {
		const { default: packed } = await import('@sparticuz/chromium');
		const executablePath = await packed.executablePath();
		return await chromium.launch({ executablePath, args: [...packed.args, ...FLAGS] });
	} finally {
		process.env = before;
	}
}

function onPath(): string | undefined {
	const folders = (process.env.PATH ?? '').split(path.delimiter);
	return folders
		.flatMap((folder) => NAMES.map((name) => path.join(folder, name)))
		.find((file) => existsSync(file));
}
