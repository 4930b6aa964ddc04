import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** The private folder of the pinned n8n. Git ignores all of it except its package files. */
export const N8N_FOLDER = path.join(ROOT, '.n8n');
/** Logs of installs, builds, and runs. */
export const LOG_FOLDER = path.join(N8N_FOLDER, 'logs');
/** The folder of the packed tarball. */
export const PACKAGE_FOLDER = path.join(N8N_FOLDER, 'package');
/** The setup's result, for the TypeScript part of the tools. */
export const SETUP_FILE = path.join(N8N_FOLDER, 'setup.json');
