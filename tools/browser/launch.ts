import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Beyond what Playwright asks for by itself. */
const FLAGS = ['--disable-gpu', '--disable-quic', '--disable-sync'];

/**
 * Starts a headless Chromium: the one that CHROMIUM_PATH names, else one on the PATH, else the one that the dev dependency
 * `@sparticuz/chromium` carries (Linux on Intel/AMD). Throws, saying what to install, where none of them is there.
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

/** The packed Chromium brings the libraries that a bare system lacks, and finds them only by these variables. */
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
