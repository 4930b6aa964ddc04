const { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { nodeResolve } = require('@rollup/plugin-node-resolve');
const { parallel, series, src, dest } = require('gulp');
const { rollup } = require('rollup');
const manifest = require('./package.json');

const NODES = 'nodes/VirtualPbx';
const ICONS = ['virtualPbx.svg', 'virtualPbx.dark.svg'].map((icon) => `icons/${icon}`);

/** The files that n8n loads, as package.json registers them, with tsc's output for each. */
const entries = [...manifest.n8n.credentials, ...manifest.n8n.nodes].map((file) => ({
	name: file.replace(/^dist\/|\.js$/g, ''),
	compiled: path.join(__dirname, file.replace(/^dist\//, 'build/')),
}));

/** Fails the build when a file of a registered node is missing, or a codex file has no node. */
async function check() {
	const codexFiles = manifest.n8n.nodes.map((file) => file.replace(/^dist\/(.*)\.js$/, '$1.json'));
	const wanted = [...codexFiles, ...ICONS, ...entries.map(({ compiled }) => compiled)];
	const missing = wanted.filter((file) => !existsSync(path.resolve(__dirname, file)));
	if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}`);

	const orphans = readdirSync(path.join(__dirname, NODES))
		.filter((file) => file.endsWith('.node.json'))
		.filter((file) => !codexFiles.includes(`${NODES}/${file}`));
	if (orphans.length > 0) throw new Error(`Codex files of no node: ${orphans.join(', ')}`);
}

/** Puts what the nodes share into one readable file, which n8n loads three times as fast as many. */
async function bundle() {
	const isEntry = (id) => entries.some(({ compiled }) => compiled === id);
	const { write } = await rollup({
		input: Object.fromEntries(entries.map(({ name, compiled }) => [name, compiled])),
		external: ['n8n-workflow', /^node:/],
		plugins: [nodeResolve()],
	});
	const { output } = await write({
		dir: 'dist',
		format: 'cjs',
		entryFileNames: '[name].js',
		chunkFileNames: '[name].js',
		manualChunks: (id) => (isEntry(id) ? undefined : 'virtualPbx'),
	});
	writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licensesOf(output));
}

/** The licenses of the packages that a bundle contains, which ask to be passed on with it. */
function licensesOf(chunks) {
	const files = chunks.flatMap(({ moduleIds = [] }) => moduleIds);
	const packages = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
	return [...new Set(packages)]
		.map((home) => {
			const { name, version } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8'));
			const licenses = readdirSync(home).filter((file) => /^licen[sc]e/i.test(file));
			if (licenses.length === 0) throw new Error(`No license of ${name}`);
			const texts = licenses.map((file) => readFileSync(path.join(home, file), 'utf8').trim());
			return [`virtualPbx.js contains ${name} ${version}.`, ...texts].join('\n\n');
		})
		.join('\n\n\n');
}

/** Copies codex files and the schemas of outputs next to their nodes, and the icons. */
function assets() {
	const files = [`${NODES}/*.node.json`, `${NODES}/__schema__/**/*.json`, ...ICONS];
	return src(files, { base: '.', encoding: false }).pipe(dest('dist'));
}

/** Removes the output of earlier builds. */
async function clean() {
	for (const folder of ['dist', 'build'])
		rmSync(path.join(__dirname, folder), { recursive: true, force: true });
}

/** Leaves nothing of tsc's behind. */
async function cleanCompiled() {
	rmSync(path.join(__dirname, 'build'), { recursive: true, force: true });
}

exports.clean = clean;
exports.build = series(check, parallel(bundle, assets), cleanCompiled);
exports.default = exports.build;
