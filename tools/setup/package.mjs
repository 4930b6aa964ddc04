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
import { digestOf } from './digest.mjs';
import { SetupError } from './failure.mjs';
import { PACKAGE_FOLDER, ROOT } from './paths.mjs';
import { npm, runStep } from './step.mjs';

/** All that can change what is shipped. */
const SOURCES = [
	'credentials',
	'nodes',
	'icons',
	'index.js',
	'gulpfile.js',
	'package.json',
	'package-lock.json',
	'tsconfig.json',
	'README.md',
	'LICENSE',
];

const STAMP = path.join(PACKAGE_FOLDER, 'stamp');

function filesOf(place) {
	if (!existsSync(place)) return [];
	if (!statSync(place).isDirectory()) return [place];
	return readdirSync(place)
		.sort()
		.flatMap((name) => filesOf(path.join(place, name)));
}

function fingerprint() {
	const files = SOURCES.flatMap((name) => filesOf(path.join(ROOT, name)));
	return digestOf(
		ROOT,
		files.map((file) => path.relative(ROOT, file)),
	);
}

function findTarball() {
	const found = existsSync(PACKAGE_FOLDER) ? readdirSync(PACKAGE_FOLDER) : [];
	const name = found.find((file) => file.endsWith('.tgz'));
	return name && path.join(PACKAGE_FOLDER, name);
}

/**
 * Builds and packs our package unless the tarball is of the present sources.
 *
 * @returns {Promise<{tarball: string, fingerprint: string}>} the tarball and a hash of what it was made of
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
	await runStep('Building the package', npm('run', 'build'), { log: 'build', minutes: 5 });
	await runStep('Packing the package', npm('pack', '--pack-destination', PACKAGE_FOLDER), {
		log: 'pack',
		minutes: 5,
	});
	const tarball = findTarball();
	if (!tarball) throw new SetupError('`npm pack` made no tarball; see .n8n/logs/pack.log');
	writeFileSync(STAMP, wanted);
	return { tarball, fingerprint: wanted };
}
