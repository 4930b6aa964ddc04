import path from 'node:path';
import { commonPollingParameters } from 'n8n-core/dist/nodes-loader/constants';
import { NodeHelpers } from 'n8n-workflow';
import type { ICredentialType, INodeType, INodeTypeDescription, INodeTypes } from 'n8n-workflow';
import { loadClass, readManifest } from '../../../tools/docs/registered';

const manifest = readManifest();

/** Builds a test's own node type from its relevant parts. */
export function makeNodeType(
	name: string,
	{
		description,
		...methods
	}: Partial<Omit<INodeType, 'description'>> & {
		description?: Partial<INodeTypeDescription>;
	} = {},
): INodeType {
	return {
		...methods,
		description: {
			displayName: name,
			name,
			group: ['transform'],
			version: 1,
			description: '',
			defaults: { name },
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
			...description,
		},
	};
}

/** Node types by full name, besides the package's own. */
export type ExtraTypes = Record<string, INodeType>;

/** Turns `virtualPbx` into `n8n-nodes-virtual-pbx.virtualPbx`. A name with a dot stays as it is. */
export function fullTypeName(type: string): string {
	return type.includes('.') ? type : `${manifest.name}.${type}`;
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function listed(files: string[], wanted: string): string {
	const names = files.map((file) => lowerFirst(path.basename(file).replace(/\..*$/, '')));
	const file = files[names.indexOf(wanted)];
	if (!file) throw new Error(`package.json lists no ${wanted}; it lists: ${names.join(', ')}`);
	return file;
}

/** Loads a credential type of the package by its name. Throws if package.json doesn't list it. */
export async function loadCredentialType(name: string): Promise<ICredentialType> {
	return await loadClass<ICredentialType>(listed(manifest.n8n.credentials, name));
}

/** Adds the parameter that n8n adds when it loads a polling trigger. */
function withPollTimes(type: INodeType): INodeType {
	const { description } = type;
	if (description.polling)
		description.properties = [...commonPollingParameters, ...description.properties];
	return type;
}

/**
 * Loads only the node types that a workflow uses: the package's own from source, others from `extra`.
 * Throws if a type is in neither.
 */
export async function loadNodeTypes(names: string[], extra: ExtraTypes = {}): Promise<INodeTypes> {
	const types = new Map<string, INodeType>(Object.entries(extra));
	for (const name of names) {
		if (types.has(name)) continue;
		const own = name.startsWith(`${manifest.name}.`);
		if (!own) throw new Error(`Unknown node type ${name}: pass it in \`types\``);
		const file = listed(manifest.n8n.nodes, name.slice(manifest.name.length + 1));
		types.set(name, withPollTimes(await loadClass<INodeType>(file)));
	}
	const byName = (name: string): INodeType => {
		const type = types.get(name);
		if (!type) throw new Error(`Node type ${name} is not loaded`);
		return type;
	};
	return {
		getByName: byName,
		getByNameAndVersion: (name, version) => NodeHelpers.getVersionedNodeType(byName(name), version),
		getKnownTypes: () => Object.fromEntries([...types.keys()].map((name) => [name, {}])),
	};
}
