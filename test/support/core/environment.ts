import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import 'reflect-metadata';

// n8n-core reads these while it loads, so this file must be the first import of the folder.
const userFolder = mkdtempSync(path.join(tmpdir(), 'virtual-pbx-core-'));
process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'contract-tests-only';
process.env.N8N_LOG_LEVEL ??= 'silent';
process.on('exit', () => rmSync(userFolder, { recursive: true, force: true }));
