import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { ROOT } from '../n8n/setup-result';

export { ROOT };

/** The parts of package.json that register the nodes in n8n. */
interface Manifest {
	name: string;
	n8n: { nodes: string[]; credentials: string[] };
}

export function readManifest(): Manifest {
	return JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Manifest;
}

/** Creates an instance of a registered class from its TypeScript source. `file` is its path in package.json. */
async function loadClass<T>(file: string): Promise<T> {
	const source = path.join(ROOT, file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	const name = path.basename(file).replace(/\..*$/, '');
	const Class = ((await import(source)) as Record<string, new () => T>)[name];
	if (!Class) throw new Error(`${source} does not export ${name}`);
	return new Class();
}

/** Returns the registered nodes, created from source, in the order of package.json. */
export const registeredNodes = async (): Promise<INodeType[]> =>
	await Promise.all(readManifest().n8n.nodes.map(loadClass<INodeType>));

export const registeredCredentials = async (): Promise<ICredentialType[]> =>
	await Promise.all(readManifest().n8n.credentials.map(loadClass<ICredentialType>));
