const { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { Transform } = require('node:stream');
const { build: bundleWith } = require('esbuild');
const { parallel, series, src, dest } = require('gulp');
const { minify } = require('terser');
const manifest = require('./package.json');

const NODES = 'nodes/VirtualPbx';
const ICONS = ['virtualPbx.svg', 'virtualPbx.dark.svg'];
const BUNDLE = 'dist/virtualPbx.js';

/** The files that n8n loads, as package.json registers them: `dist/…/<Class>.<kind>.js`. */
const registered = [...manifest.n8n.credentials, ...manifest.n8n.nodes].map((file) => ({
	file,
	compiled: file.replace(/^dist\//, 'build/'),
	className: path.basename(file).replace(/\..*$/, ''),
}));

/**
 * Fails the build when a registered node has no codex file, a codex file no node, when an icon is missing,
 * or when tsc has not written a file that package.json registers.
 */
async function check() {
	const codexFiles = manifest.n8n.nodes.map((file) =>
		path.join(NODES, path.basename(file).replace(/\.js$/, '.json')),
	);
	const wanted = [
		...codexFiles,
		...ICONS.map((icon) => path.join('icons', icon)),
		...registered.map(({ compiled }) => compiled),
	];
	const missing = wanted.filter((file) => !existsSync(path.join(__dirname, file)));
	if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}`);

	const orphans = readdirSync(path.join(__dirname, NODES))
		.filter((file) => file.endsWith('.node.json'))
		.filter((file) => !codexFiles.includes(path.join(NODES, file)));
	if (orphans.length > 0) {
		throw new Error(`Codex files of no registered node: ${orphans.join(', ')}`);
	}
}

/** What the code takes from n8n; a name that is missing here fails the build. */
const FROM_N8N = [
	'NodeApiError',
	'NodeConnectionTypes',
	'NodeOperationError',
	'fromParameter',
	'sleep',
	'tryToParseDateTime',
	'webhookDescriptionFields',
];

/** Makes all modules share one `require('n8n-workflow')`, where esbuild would write one for each. */
const requireOnce = {
	name: 'require-once',
	setup({ onResolve, onLoad }) {
		onResolve({ filter: /^n8n-workflow$/ }, ({ path: module, namespace }) =>
			namespace === 'n8n' ? { path: module, external: true } : { path: module, namespace: 'n8n' },
		);
		onLoad({ filter: /.*/, namespace: 'n8n' }, () => ({
			contents: `const n8n = require('n8n-workflow');\n${FROM_N8N.map((name) => `export const ${name} = n8n.${name};`).join('\n')}`,
		}));
	},
};

/** Puts what tsc compiled into one file: n8n loads it in one go, and the package stays small. */
async function bundle() {
	const contents = registered
		.map(({ compiled, className }) => `export { ${className} } from './${compiled}';`)
		.join('\n');
	const { outputFiles } = await bundleWith({
		stdin: { contents, resolveDir: __dirname },
		bundle: true,
		write: false,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		plugins: [requireOnce],
		charset: 'utf8',
		legalComments: 'none',
	});
	const { code } = await minify(outputFiles[0].text, {
		toplevel: true,
		ecma: 2020,
		compress: { passes: 4, hoist_funs: true, inline: 1, sequences: false, unsafe_arrows: true },
	});
	mkdirSync(path.dirname(BUNDLE), { recursive: true });
	writeFileSync(BUNDLE, code);
}

/** Writes the files that n8n loads; each hands on its class from the bundle. */
async function entries() {
	for (const { file, className } of registered) {
		mkdirSync(path.dirname(file), { recursive: true });
		const bundlePath = path.posix.relative(path.posix.dirname(file), BUNDLE);
		writeFileSync(file, `exports.${className} = require('${bundlePath}').${className};\n`);
	}
}

/** Takes the white space out of JSON files. */
function compact() {
	return new Transform({
		objectMode: true,
		transform(file, _, done) {
			file.contents = Buffer.from(JSON.stringify(JSON.parse(String(file.contents))));
			done(null, file);
		},
	});
}

/** Copies the codex files next to their nodes. */
function codex() {
	return src(`${NODES}/*.node.json`)
		.pipe(compact())
		.pipe(dest(`dist/${NODES}`));
}

/** Copies the schemas of outputs, from which n8n shows the fields of a node before it has run. */
function schemas() {
	return src(`${NODES}/__schema__/**/*.json`)
		.pipe(compact())
		.pipe(dest(`dist/${NODES}/__schema__`));
}

/** Copies the icons that nodes and credential name relative to themselves. */
function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

/** Leaves nothing of tsc's behind: what it wrote is in the bundle. */
async function clean() {
	rmSync('build', { recursive: true, force: true });
}

exports.build = series(check, parallel(bundle, entries, codex, schemas, icons), clean);
exports.default = exports.build;
