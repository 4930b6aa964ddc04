import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { PACKAGE_FOLDER, ROOT } from './paths.mjs';
import { npm, runStep } from './step.mjs';

const FOLDERS = ['credentials', 'nodes', 'icons'];
/** Everything that affects the published package. */
const SOURCES = [
	...[...FOLDERS, 'index.js', 'gulpfile.js', 'tsconfig.json', 'README.md', 'LICENSE'],
	...['package.json', 'package-lock.json'],
];

const STAMP = path.join(PACKAGE_FOLDER, 'stamp');

/** Returns a hash of the sources' names and contents. */
function fingerprint() {
	const hash = createHash('sha256');
	for (const entry of SOURCES) {
		const place = path.join(ROOT, entry);
		const inside = FOLDERS.includes(entry) ? fs.readdirSync(place, { recursive: true }) : [''];
		for (const name of inside.sort()) {
			const file = path.join(place, name);
			hash.update(`${path.join(entry, name)}\0`);
			if (fs.statSync(file).isFile()) hash.update(fs.readFileSync(file)).update('\0');
		}
	}
	return hash.digest('hex');
}

function findTarball() {
	const found = fs.existsSync(PACKAGE_FOLDER) ? fs.readdirSync(PACKAGE_FOLDER) : [];
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
	const isDistThere = fs.existsSync(path.join(ROOT, 'dist', 'nodes'));
	const stamp = fs.existsSync(STAMP) && fs.readFileSync(STAMP, 'utf8');
	if (present && isDistThere && stamp === wanted) return { tarball: present, fingerprint: wanted };
	fs.rmSync(PACKAGE_FOLDER, { recursive: true, force: true });
	fs.mkdirSync(PACKAGE_FOLDER, { recursive: true });
	await runStep('Building the package', npm('run', 'build'));
	await runStep('Packing the package', npm('pack', '--pack-destination', PACKAGE_FOLDER));
	const tarball = findTarball();
	fs.writeFileSync(STAMP, wanted);
	return { tarball, fingerprint: wanted };
}
