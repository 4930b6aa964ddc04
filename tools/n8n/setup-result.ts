import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../setup/failure.mjs';

/** The repository's root. */
export const ROOT = path.resolve(__dirname, '../..');

/** The result of tools/setup.mjs. */
interface SetupResult {
	/** The Node that runs n8n, its version, and the script that starts n8n. */
	node: string;
	nodeVersion: string;
	n8n: string;
	/** The packed package, and a hash of its sources. */
	tarball: string;
	fingerprint: string;
}

/** Reads the setup's result. OTHER_N8N overrides the script (`…/n8n/bin/n8n`) to test other versions. */
export function readSetup(): SetupResult {
	const file = path.join(ROOT, '.n8n', 'setup.json');
	if (!existsSync(file)) throw new SetupError('n8n is not set up here. Run: npm run setup');
	const setup = JSON.parse(readFileSync(file, 'utf8')) as SetupResult;
	return { ...setup, n8n: process.env.OTHER_N8N ?? setup.n8n };
}
