import type { ICredentialType, IDataObject, INodeType } from 'n8n-workflow';

import { RESOURCES } from '../../nodes/VirtualPbx/actions';
import type { Operation, Resource } from '../../nodes/VirtualPbx/actions/contract';
import { readManifest, registeredCredentials, registeredNodes } from './registered';
import { samples } from './samples';
import { code, inputTable } from './tables';

/** The reference page, relative to the repository's root. */
export const REFERENCE_FILE = 'docs/reference.md';

const HEADER = `# Reference

Every node, operation, input, and output of this package. \`npm run docs\` generates this page from the code; don't edit it.
To get started, see the [README](../README.md). For the PBX side, see the [interface](internals/interface.md), whose sections are cited as §.

Parameter is the name in the workflow's JSON.
`;

/** Returns the reference of what package.json registers, as Markdown. */
export async function makeReference(): Promise<string> {
	const { name: packageName } = readManifest();
	const examples = samples();
	const nodes = await registeredNodes();
	const parts = [
		HEADER,
		...(await registeredCredentials()).flatMap(credentialPart),
		...nodes.flatMap((node) => nodePart(node, packageName, examples)),
	];
	return `${parts
		.join('\n')
		.replace(/\n{3,}/g, '\n\n')
		.trim()}\n`;
}

function credentialPart({ displayName, name, properties }: ICredentialType): string[] {
	return [
		`## Credential: ${displayName}`,
		'',
		`Type ${code(name)}.`,
		'',
		...inputTable(properties),
		'',
	];
}

function nodePart(
	{ description }: INodeType,
	packageName: string,
	examples: Record<string, IDataObject>,
): string[] {
	const { displayName, name, description: purpose, properties, group } = description;
	const isTrigger = group.includes('trigger');
	const about = [
		`Type ${code(`${packageName}.${name}`)}. ${purpose}.`,
		...(isTrigger ? [] : ['AI agents can use it as a tool.']),
	];
	return [
		`## ${displayName}`,
		'',
		about.join(' '),
		'',
		...(isTrigger
			? [...inputTable(properties), '', ...example(examples[name])]
			: RESOURCES.flatMap((resource) => resourcePart(resource, examples))),
	];
}

function resourcePart(resource: Resource, examples: Record<string, IDataObject>): string[] {
	const credential = resource.isOffline ? ' Needs no credential.' : '';
	return [
		`### ${resource.name}`,
		'',
		`Resource ${code(resource.value)}. ${resource.description}.${credential}`,
		'',
		...resource.operations.flatMap((operation) => operationPart(resource, operation, examples)),
	];
}

function operationPart(
	resource: Resource,
	operation: Operation,
	examples: Record<string, IDataObject>,
): string[] {
	const { name, value, description, output, fields, kind } = operation;
	const pace =
		kind === 'read' ? 'Processes several items at once.' : 'Processes items one after another.';
	return [
		`#### ${resource.name}: ${name}`,
		'',
		`Operation ${code(value)}. ${description}. ${pace}`,
		'',
		...inputTable(fields),
		'',
		`**Output:** ${output}.`,
		'',
		...example(examples[`${resource.value}:${value}`]),
	];
}

function example(item: IDataObject | undefined): string[] {
	if (item === undefined) return [];
	return ['Example of a simplified item:', '', '```json', JSON.stringify(item, null, 2), '```', ''];
}
