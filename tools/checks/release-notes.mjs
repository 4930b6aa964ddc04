// Prints the section of CHANGELOG.md for a version. Usage: node tools/checks/release-notes.mjs <version>
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../setup/paths.mjs';

/**
 * The text under a version's heading.
 *
 * @param {string} changelog in the format of Keep a Changelog
 * @param {string} version such as 1.2.0
 * @throws Error when the version has no heading, or nothing under it
 */
export function releaseNotes(changelog, version) {
	const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`));
	const notes = section?.split('\n').slice(1).join('\n').trim();
	if (!notes) throw new Error(`CHANGELOG.md has no entries under “## [${version}]”`);
	return notes;
}

const [, script = '', version = ''] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
	console.log(releaseNotes(readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8'), version));
}
