import { NodeHelpers } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription, INodeTypes } from 'n8n-workflow';

const PACKAGE = 'n8n-nodes-virtual-pbx.';

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
			...{ displayName: name, name, group: ['transform'], version: 1, description: '' },
			...{ defaults: { name }, inputs: ['main'], outputs: ['main'], properties: [] },
			...description,
		},
	};
}

/** Node types by full name, besides the package's own. */
export type ExtraTypes = Record<string, INodeType>;

/** Turns `virtualPbx` into `n8n-nodes-virtual-pbx.virtualPbx`. A name with a dot stays as it is. */
export const fullTypeName = (type: string): string => (type.includes('.') ? type : PACKAGE + type);

/** Creates a node type of the package from its source. */
async function loadOwn(type: string): Promise<INodeType> {
	const name = type.replace(`${PACKAGE}v`, 'V');
	const file = `../../../nodes/VirtualPbx/${name}.node.ts`;
	const Class = ((await import(file)) as Record<string, new () => INodeType>)[name];
	if (!Class) throw new Error(`${file} does not export ${name}`);
	return new Class();
}

/**
 * Loads only the node types that a workflow uses: the package's own from source, others from `extra`.
 * Throws if a type is in neither.
 */
export async function loadNodeTypes(names: string[], extra: ExtraTypes = {}): Promise<INodeTypes> {
	const types = new Map<string, INodeType>(Object.entries(extra));
	for (const name of names) {
		if (types.has(name)) continue;
		if (!name.startsWith(PACKAGE))
			throw new Error(`Unknown node type ${name}: pass it in \`types\``);
		types.set(name, await loadOwn(name));
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
