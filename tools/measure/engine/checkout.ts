import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import type * as Core from 'n8n-core';
import type * as WorkflowPackage from 'n8n-workflow';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import type { Axios } from './network';

/** A checkout of this repository with its own n8n-core, loaded into this process. A process can load only one. */
export interface Checkout {
	home: string;
	core: typeof Core;
	workflow: typeof WorkflowPackage;
	axios: Axios;
	/** Nodes by name, such as `virtualPbx`. */
	nodes: Record<string, INodeType>;
	credential: ICredentialType;
}

/** Changes a source file of the package before compilation. */
export type Transform = (file: string) => ts.TransformerFactory<ts.SourceFile>;

const OPTIONS: ts.CompilerOptions = {
	target: ts.ScriptTarget.ES2022,
	module: ts.ModuleKind.CommonJS,
	esModuleInterop: true,
	resolveJsonModule: true,
};

/** Loads the nodes that a checkout's package.json registers, from its sources or from `npm run build`. */
export function openCheckout(
	home: string,
	{ isBuilt = false, transform }: { isBuilt?: boolean; transform?: Transform } = {},
): Checkout {
	process.env.N8N_USER_FOLDER = path.join(home, 'node_modules/.cache/measure');
	process.env.N8N_ENCRYPTION_KEY = 'measuring-only';
	process.env.N8N_LOG_LEVEL = 'silent';
	const require = createRequire(path.join(home, 'package.json'));
	require('reflect-metadata');
	if (!isBuilt) compileSources(home, transform);
	const manifest = require('./package.json') as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	const make = (file: string): unknown => {
		const source = isBuilt ? file : file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
		const name = path.basename(file).replace(/\..*$/, '');
		const Class = (require(`./${source}`) as Record<string, new () => unknown>)[name];
		if (!Class) throw new Error(`${source} doesn't export ${name}`);
		return new Class();
	};
	const nodes = manifest.n8n.nodes.map(make) as INodeType[];
	return {
		home,
		core: require('n8n-core') as typeof Core,
		workflow: require('n8n-workflow') as typeof WorkflowPackage,
		axios: createRequire(require.resolve('@n8n/backend-network'))('axios') as Axios,
		nodes: Object.fromEntries(nodes.map((node) => [node.description.name, node])),
		credential: manifest.n8n.credentials.map(make)[0] as ICredentialType,
	};
}

type Extensions = Record<string, (module: NodeModule, file: string) => void>;

/** Compiles the package's TypeScript as tsc does, without the helpers that tsx adds to each function. */
function compileSources(home: string, transform?: Transform): void {
	const extensions = (Module as unknown as { _extensions: Extensions })._extensions;
	const original = extensions['.ts'];
	extensions['.ts'] = (module, file) => {
		const isOurs = /^(nodes|credentials)\//.test(path.relative(home, file));
		if (!isOurs) return original?.(module, file);
		const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
			compilerOptions: OPTIONS,
			fileName: file,
			transformers: { before: transform ? [transform(file)] : [] },
		});
		(module as unknown as { _compile(text: string, file: string): void })._compile(
			outputText,
			file,
		);
	};
}
