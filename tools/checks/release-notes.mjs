// Prints a version's section of CHANGELOG.md (Keep a Changelog format).
// Usage: node tools/checks/release-notes.mjs <version>
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../setup/paths.mjs';

const [version] = process.argv.slice(2);
const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`));
const notes = section?.split('\n').slice(1).join('\n').trim();
if (!notes) throw new Error(`CHANGELOG.md has no entries under “## [${version}]”`);
console.log(notes);
