import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import 'reflect-metadata';

/** One for all test files of a worker, as n8n-core is. */
const shared = globalThis as { n8nUserFolder?: string };
if (!shared.n8nUserFolder) {
	const made = mkdtempSync(path.join(tmpdir(), 'virtual-pbx-core-'));
	shared.n8nUserFolder = made;
	process.on('exit', () => rmSync(made, { recursive: true, force: true }));
}

// n8n-core reads these while it loads, so this file must be the first import of the folder.
process.env.N8N_USER_FOLDER = shared.n8nUserFolder;
process.env.N8N_ENCRYPTION_KEY = 'contract-tests-only';
process.env.N8N_LOG_LEVEL ??= 'silent';
