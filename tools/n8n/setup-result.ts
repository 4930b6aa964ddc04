import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../setup/failure.mjs';

/** The repository. */
export const ROOT = path.resolve(__dirname, '../..');

/** What tools/setup.mjs found and made. */
export interface SetupResult {
	/** The Node that n8n runs on, and its version as it reported itself. */
	node: string;
	nodeVersion: string;
	/** The script that starts n8n. */
	n8n: string;
	/** The packed package, and a hash of what it was made of. */
	tarball: string;
	fingerprint: string;
}

/**
 * Reads what the set-up left. OTHER_N8N names the script of another n8n (`…/n8n/bin/n8n`) to use instead of the
 * pinned one, to try other versions. Throws when the set-up has not run.
 */
export function readSetup(): SetupResult {
	const file = path.join(ROOT, '.n8n', 'setup.json');
	if (!existsSync(file)) throw new SetupError('n8n is not set up here. What to do: npm run setup');
	const setup = JSON.parse(readFileSync(file, 'utf8')) as SetupResult;
	return { ...setup, n8n: process.env.OTHER_N8N ?? setup.n8n };
}
