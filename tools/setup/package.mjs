import { createHash } from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { PACKAGE_FOLDER, ROOT } from './paths.mjs';
import { npm, runStep } from './step.mjs';

const FOLDERS = ['credentials', 'nodes', 'icons'];
/** Everything that affects the published package. */
const SOURCES = [
	...FOLDERS,
	'index.js',
	'gulpfile.js',
	'package.json',
	'package-lock.json',
	'tsconfig.json',
	'README.md',
	'LICENSE',
];

const STAMP = path.join(PACKAGE_FOLDER, 'stamp');

/** Returns a hash of the sources' names and contents. */
function fingerprint() {
	const hash = createHash('sha256');
	for (const entry of SOURCES) {
		const place = path.join(ROOT, entry);
		const inside = FOLDERS.includes(entry) ? readdirSync(place, { recursive: true }) : [''];
		for (const name of inside.sort()) {
			const file = path.join(place, name);
			hash.update(`${path.join(entry, name)}\0`);
			if (statSync(file).isFile()) hash.update(readFileSync(file)).update('\0');
		}
	}
	return hash.digest('hex');
}

function findTarball() {
	const found = existsSync(PACKAGE_FOLDER) ? readdirSync(PACKAGE_FOLDER) : [];
	const name = found.find((file) => file.endsWith('.tgz'));
	return name && path.join(PACKAGE_FOLDER, name);
}

/**
 * Builds and packs the package unless the tarball matches the current sources. Returns the tarball
 * and a hash of the sources.
 */
export async function buildPackage() {
	const wanted = fingerprint();
	const present = findTarball();
	const isDistThere = existsSync(path.join(ROOT, 'dist', 'nodes'));
	if (present && isDistThere && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) {
		return { tarball: present, fingerprint: wanted };
	}
	rmSync(PACKAGE_FOLDER, { recursive: true, force: true });
	mkdirSync(PACKAGE_FOLDER, { recursive: true });
	await runStep('Building the package', npm('run', 'build'));
	await runStep('Packing the package', npm('pack', '--pack-destination', PACKAGE_FOLDER));
	const tarball = findTarball();
	writeFileSync(STAMP, wanted);
	return { tarball, fingerprint: wanted };
}
