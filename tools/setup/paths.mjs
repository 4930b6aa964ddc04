import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** The private folder of the pinned n8n; git ignores all of it but its package files. */
export const N8N_FOLDER = path.join(ROOT, '.n8n');
/** Logs of installs, builds and runs. */
export const LOG_FOLDER = path.join(N8N_FOLDER, 'logs');
/** Where set-up leaves the packed tarball. */
export const PACKAGE_FOLDER = path.join(N8N_FOLDER, 'package');
/** What set-up found and made, for the TypeScript part of the tools. */
export const SETUP_FILE = path.join(N8N_FOLDER, 'setup.json');
