// Runs n8n's own package scanner on a folder, offline. Prints its findings, and exits with 1 if there are any.
// Usage: node tools/checks/scan.mjs <folder> [source]   ("source": only the published files of a checkout)
import path from 'node:path';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const [folder, kind] = process.argv.slice(2);
const { passed, message, details } = await analyzePackage(
	path.resolve(folder),
	...(kind === 'source' ? [SOURCE_FILE_PATTERNS] : []),
);
if (!passed || message) console.log(message, details ?? '');
process.exitCode = passed && !message ? 0 : 1;
