import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const read = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/**
 * Returns whether a folder's node_modules matches its lock file, according to npm's own record of
 * the install. npm writes that record last, so an interrupted install has none.
 */
export function isInstalled(folder) {
	const record = path.join(folder, 'node_modules', '.package-lock.json');
	if (!existsSync(record)) return false;
	const installed = read(record);
	return Object.entries(read(path.join(folder, 'package-lock.json'))).every(([place, wanted]) => {
		if (!place.startsWith('node_modules/')) return true;
		const found = installed[place];
		if (!found)
			return wanted.optional === true || wanted.devOptional === true || wanted.peer === true;
		return found.version === wanted.version;
	});
}
