import type { ICredentialType, IDataObject, INodeProperties, INodeType } from 'n8n-workflow';

import { RESOURCES } from '../../nodes/VirtualPbx/actions';
import type { Operation, Resource } from '../../nodes/VirtualPbx/actions/operation';
import { propertiesOf } from '../../nodes/VirtualPbx/parameters/parameter';
import { readManifest, registeredCredentials, registeredNodes } from './registered';
import { samples } from './samples';
import { anchorOf, choicesIn, code, hasOwnTable, inputTable, rowFields } from './tables';

/** The pages of the reference, relative to the repository's root. */
const NODE_PAGE = 'docs/reference.md';
const TRIGGER_PAGE = 'docs/reference-triggers.md';

const GENERATED =
	"`npm run docs` generates this page from the code; don't edit it. **Parameter** is the name in the workflow's JSON.";

const NODE_HEADER = `# Reference

The credential, and every operation, input, and output of the **Virtual PBX** node. ${GENERATED} For the triggers, see the [trigger reference](reference-triggers.md). To get started, see the [README](../README.md).
`;

const TRIGGER_HEADER = `# Trigger reference

Every input and output of the triggers. ${GENERATED} For the **Virtual PBX** node, see the [reference](reference.md). To choose a trigger, see [Which trigger should I use?](guides/which-trigger.md)
`;

/** Generates the reference of the registered nodes and credentials. Returns Markdown pages by path. */
export async function makeReference(): Promise<Map<string, string>> {
	const { name: packageName } = readManifest();
	const examples = samples();
	const nodes = await registeredNodes();
	const isTrigger = ({ description }: INodeType) => description.group.includes('trigger');
	const partsOf = (some: INodeType[]) =>
		some.flatMap((node) => nodePart(node, packageName, examples));
	const onNodePage = [
		NODE_HEADER,
		...(await registeredCredentials()).flatMap(credentialPart),
		...partsOf(nodes.filter((node) => !isTrigger(node))),
		...sharedTables(nodes.flatMap(({ description }) => description.properties)),
	];
	const onTriggerPage = [TRIGGER_HEADER, ...partsOf(nodes.filter(isTrigger))];
	return new Map([
		[NODE_PAGE, joined(onNodePage)],
		// Shared tables and first examples are on the other page.
		[TRIGGER_PAGE, joined(onTriggerPage).replaceAll('](#', '](reference.md#')],
	]);
}

const joined = (parts: string[]) =>
	`${parts
		.join('\n')
		.replace(/\n{3,}/g, '\n\n')
		.trim()}\n`;

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
			? [...inputTable(properties), '', ...example(name, examples)]
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
	const { name, value, description, output, parameters, kind } = operation;
	const pace =
		kind === 'read' ? 'Processes several items at once.' : 'Processes items one after another.';
	return [
		`#### ${resource.name}: ${name}`,
		'',
		`Operation ${code(value)}. ${description}. ${pace}`,
		'',
		...inputTable(propertiesOf(parameters)),
		'',
		`**Output:** ${output}.`,
		'',
		...example(`${resource.value}:${value}`, examples),
	];
}

/** Returns an example, or a link to the first heading that has the same one. */
function example(place: string, examples: Record<string, IDataObject>): string[] {
	const item = examples[place];
	if (item === undefined) return [];
	const text = compact(JSON.stringify(item, null, 2));
	const first = Object.keys(examples).find(
		(name) => compact(JSON.stringify(examples[name], null, 2)) === text,
	);
	if (first !== undefined && first !== place)
		return [
			`Example of a simplified item: as in [${headingOf(first)}](#${anchorOf(headingOf(first))}).`,
			'',
		];
	return ['Example of a simplified item:', '', '```json', text, '```', ''];
}

/** Writes lists of texts, and objects in lists, on one line each. */
function compact(text: string): string {
	const inOneLine = (block: string) => block.replace(/\s*\n\s*/g, ' ');
	return text.replace(/\[[^[\]{}]*\]/g, inOneLine).replace(/(?<=\n {4,})\{[^{}[\]]*\}/g, inOneLine);
}

function headingOf(place: string): string {
	const [resource, operation] = place.split(':');
	const found = RESOURCES.find(({ value }) => value === resource);
	return `${found?.name}: ${found?.operations.find(({ value }) => value === operation)?.name}`;
}

/** Returns the tables that several inputs link to: the fields of rows, and long lists of choices. */
function sharedTables(properties: INodeProperties[]): string[] {
	const rows = new Map(properties.flatMap((property) => rowFields(property) ?? []));
	const all = properties.flatMap((property) => [
		property,
		...(property.type === 'collection' ? (property.options as INodeProperties[]) : []),
	]);
	const long = new Map(all.filter(hasOwnTable).map((property) => [property.displayName, property]));
	const fieldTables = [...rows].flatMap(([name, fields]) => [
		`## ${name}`,
		'',
		...inputTable(fields),
		'',
	]);
	const choices = [...long].flatMap(([name, property]) => [
		`## ${name}`,
		'',
		'| Choice | Value |',
		'| --- | --- |',
		...choicesIn(property).map(
			({ name: choice, value }) =>
				`| ${choice.replace(` (${String(value)})`, '')} | ${code(String(value))} |`,
		),
		'',
	]);
	return [...fieldTables, ...choices];
}
