const { existsSync, readFileSync } = require('node:fs');
const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { compileFunction, constants } = require('node:vm');
const Runtime = require('jest-runtime').default;

const PACKAGES = `${path.sep}node_modules${path.sep}`;
const WRAPPER = ['exports', 'require', 'module', '__filename', '__dirname'];

/** Whether files named *.js in a folder are ES modules, which Jest transforms. */
const areModules = new Map();
function isModuleFolder(folder) {
	if (!areModules.has(folder)) {
		const manifest = path.join(folder, 'package.json');
		const isModule = existsSync(manifest)
			? JSON.parse(readFileSync(manifest, 'utf8')).type === 'module'
			: path.dirname(folder) !== folder && isModuleFolder(path.dirname(folder));
		areModules.set(folder, isModule);
	}
	return areModules.get(folder);
}

/** Returns the file of a package that can be loaded once for all test files. */
function packageFile(from, name) {
	if (isBuiltin(name)) return undefined;
	let file;
	try {
		file = createRequire(from).resolve(name);
	} catch {
		// Jest finds it, or says what it tried.
		return undefined;
	}
	const isPackage = file.includes(PACKAGES) && /\.(c?js|json)$/.test(file);
	return isPackage && (!file.endsWith('.js') || !isModuleFolder(path.dirname(file)))
		? file
		: undefined;
}

/** The loaded modules of packages, by file. */
const loaded = new Map();

/** Loads a file of a package, and what it requires, into the context that all test files of this worker share. */
function load(file, environment) {
	const known = loaded.get(file);
	if (known) return known.exports;
	const module = { exports: {}, filename: file, id: file, loaded: false, children: [], paths: [] };
	loaded.set(file, module);
	try {
		const text = readFileSync(file, 'utf8').replace(/^#!.*/, '');
		if (file.endsWith('.json')) module.exports = environment.global.JSON.parse(text);
		else {
			const native = createRequire(file);
			const require = (name) => {
				if (/^(node:)?process$/.test(name)) return environment.global.process;
				const next = packageFile(file, name);
				return next ? load(next, environment) : native(name);
			};
			Object.assign(require, {
				resolve: native.resolve,
				cache: {},
				extensions: {},
				main: undefined,
			});
			module.require = require;
			const run = compileFunction(text, WRAPPER, {
				filename: file,
				parsingContext: environment.getVmContext(),
				importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
			});
			run.call(module.exports, module.exports, require, module, file, path.dirname(file));
		}
	} catch (error) {
		loaded.delete(file);
		throw error;
	}
	module.loaded = true;
	return module.exports;
}

/** Jest's runtime, but with one instance of each package for all test files of a worker: n8n takes seconds to load. */
module.exports = class extends Runtime {
	constructor(config, environment, ...rest) {
		super(config, environment, ...rest);
		this.ofWorker = environment;
	}

	requireModule(from, name, options, isActual) {
		const file = options === undefined && name ? packageFile(from, name) : undefined;
		return file ? load(file, this.ofWorker) : super.requireModule(from, name, options, isActual);
	}
};
