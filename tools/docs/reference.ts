import type { ICredentialType, IDataObject, INodeProperties, INodeType } from 'n8n-workflow';

import path from 'node:path';

import { RESOURCES } from '../../nodes/VirtualPbx/actions';
import type { Operation, Resource } from '../../nodes/VirtualPbx/actions/operation';
import { propertiesOf } from '../../nodes/VirtualPbx/parameters/parameter';
import { readManifest, registeredCredentials, registeredNodes } from './registered';
import { samples } from './samples';
import { anchorOf, choicesIn, code, hasOwnTable, inputRows, inputTable, rowFields } from './tables';

/** The folder of the reference, relative to the repository's root. */
const REFERENCE = 'docs/reference';

/** An input that as many operations share is described once, on the index page. */
const SHARED_BY = 3;
/** Shorter pages become a part of the index page. */
const SHORTEST_PAGE = 1500;

const HEADER = `# Reference

Every input and output of the Virtual PBX nodes for n8n. \`npm run docs\` generates these pages from the code; don't edit them. **Parameter** is the name in the workflow's JSON. To get started, see the [README](../../README.md).
`;

/** Generates the reference of the registered nodes and credentials. Returns Markdown pages by path. */
export async function makeReference(): Promise<Map<string, string>> {
	const { name: packageName } = readManifest();
	const examples = samples();
	const nodes = await registeredNodes();
	const isTrigger = ({ description }: INodeType) => description.group.includes('trigger');
	const sections = [
		...RESOURCES.map((resource) => resourcePart(resource, examples)),
		...nodes.filter(isTrigger).map((node) => triggerPart(node, packageName, examples)),
	].map(joined);
	const pages = sections.filter((text) => text.length >= SHORTEST_PAGE);
	const index = [
		HEADER,
		...pages.map((text) => `- [${titleOf(text)}](${anchorOf(titleOf(text))}.md)`),
		'',
		...(await registeredCredentials()).flatMap(credentialPart),
		...nodes.filter((node) => !isTrigger(node)).flatMap((node) => nodePart(node, packageName)),
		...sections
			.filter((text) => text.length < SHORTEST_PAGE)
			.map((text) => text.replaceAll(/^#/gm, '##')),
		...sharedInputs(),
		...sharedTables(nodes.flatMap(({ description }) => description.properties)),
	];
	return linked(
		new Map([
			[`${REFERENCE}/README.md`, joined(index)],
			...pages.map((text): [string, string] => [
				`${REFERENCE}/${anchorOf(titleOf(text))}.md`,
				text,
			]),
		]),
	);
}

const titleOf = (page: string) => /^# (.*)$/m.exec(page)?.[1] ?? '';

/** Returns the pages with links to the right page: until then, all name only a heading. */
function linked(pages: Map<string, string>): Map<string, string> {
	const homes = new Map(
		[...pages].flatMap(([file, text]) =>
			[...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']): [string, string] => [
				anchorOf(heading),
				path.posix.basename(file),
			]),
		),
	);
	const relinked = (file: string, text: string) =>
		text.replace(/\]\(#([^)]+)\)/g, (link, anchor: string) => {
			const home = homes.get(anchor);
			return home === path.posix.basename(file) ? link : `](${home}#${anchor})`;
		});
	return new Map([...pages].map(([file, text]) => [file, relinked(file, text)]));
}

const joined = (parts: string[]) =>
	`${parts
		.join('\n')
		.replace(/\n{3,}/g, '\n\n')
		.trim()}\n`;

/** Returns the rows that several operations share, by label: of rows with the same label, the most frequent one. */
const SHARED = (() => {
	const counts = new Map<string, { label: string; uses: number }>();
	for (const { parameters } of RESOURCES.flatMap(({ operations }) => operations))
		for (const { label, text } of inputRows(propertiesOf(parameters)))
			counts.set(text, { label, uses: (counts.get(text)?.uses ?? 0) + 1 });
	const frequent = [...counts]
		.filter(([, { uses }]) => uses >= SHARED_BY)
		.sort(([, one], [, other]) => one.uses - other.uses);
	return new Map(frequent.map(([text, { label }]) => [label, text]));
})();

function sharedInputs(): string[] {
	const rows = [...SHARED].map(([label, text]) => ({ label, text }));
	return [
		'## Shared inputs',
		'',
		'Several operations have these inputs, and name them below their own.',
		'',
		...inputTable(rows.sort((one, other) => one.label.localeCompare(other.label, 'en'))),
		'',
	];
}

/** Returns an operation's inputs: its own in a table, and the names of those that it shares. */
function inputsOf(properties: INodeProperties[]): string[] {
	const rows = inputRows(properties);
	const isShared = ({ label, text }: (typeof rows)[number]) => SHARED.get(label) === text;
	const own = rows.filter((row) => !isShared(row));
	const others = rows.filter(isShared).map(({ label }) => label);
	if (rows.length === 0) return ['No inputs.'];
	return [
		...(own.length > 0 ? inputTable(own) : []),
		'',
		...(others.length > 0 ? [`[Shared inputs](#shared-inputs): ${others.join(', ')}.`] : []),
	];
}

function credentialPart({ displayName, name, properties }: ICredentialType): string[] {
	return [
		`## Credential: ${displayName}`,
		'',
		`Type ${code(name)}.`,
		'',
		...inputTable(inputRows(properties)),
		'',
	];
}

function nodePart({ description }: INodeType, packageName: string): string[] {
	const { displayName, name, description: purpose } = description;
	return [
		`## Node: ${displayName}`,
		'',
		`Type ${code(`${packageName}.${name}`)}. ${purpose}. AI agents can use it as a tool. Its operations are on the pages of the resources.`,
		'',
	];
}

function triggerPart(
	{ description }: INodeType,
	packageName: string,
	examples: Record<string, IDataObject>,
): string[] {
	const { displayName, name, description: purpose, properties } = description;
	return [
		`# ${displayName}`,
		'',
		`Type ${code(`${packageName}.${name}`)}. ${purpose}.`,
		'',
		...inputTable(inputRows(properties)),
		'',
		...example(name, examples),
	];
}

function resourcePart(resource: Resource, examples: Record<string, IDataObject>): string[] {
	const credential = resource.isOffline ? ' Needs no credential.' : '';
	return [
		`# ${resource.name}`,
		'',
		`Resource ${code(resource.value)} of the **Virtual PBX** node. ${resource.description}.${credential}`,
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
		`## ${resource.name}: ${name}`,
		'',
		`Operation ${code(value)}. ${description}. ${pace}`,
		'',
		...inputsOf(propertiesOf(parameters)),
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
		...inputTable(inputRows(fields)),
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
