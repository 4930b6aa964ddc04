import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A hash of what files are named and hold.
 *
 * @param {string} root the folder that the names are relative to
 * @param {string[]} files their names; one that is gone counts as such
 * @returns {string} SHA-256 in hex
 */
export function digestOf(root, files) {
	const hash = createHash('sha256');
	for (const name of [...files].sort()) {
		const file = path.join(root, name);
		hash.update(name).update('\0');
		if (existsSync(file)) hash.update(readFileSync(file));
		hash.update('\0');
	}
	return hash.digest('hex');
}
