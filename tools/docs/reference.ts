import path from 'node:path';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';

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

Every input and output of the Virtual PBX nodes for n8n. \`npm run docs\` generates these pages from the code; don't edit them. **Parameter** is the name in the workflow's JSON. To get started, see the [README](../../README.md).`;

const EXAMPLES = samples();

/** Generates the reference of the registered nodes and credentials. Returns Markdown pages by path. */
export async function makeReference(): Promise<Map<string, string>> {
	const nodes = await registeredNodes();
	const isTrigger = ({ description }: INodeType) => description.group.includes('trigger');
	const sections = [...RESOURCES.map(resourcePart), ...nodes.filter(isTrigger).map(triggerPart)];
	const pages = sections.filter((text) => text.length >= SHORTEST_PAGE);
	const index = joined(
		HEADER,
		pages.map((text) => `- [${titleOf(text)}](${anchorOf(titleOf(text))}.md)`).join('\n'),
		...(await registeredCredentials()).map(credentialPart),
		...nodes.filter((node) => !isTrigger(node)).map(nodePart),
		...sections
			.filter((text) => text.length < SHORTEST_PAGE)
			.map((text) => text.replaceAll(/^#/gm, '##')),
		sharedInputs(),
		...sharedTables(nodes.flatMap(({ description }) => description.properties)),
	);
	return linked(
		new Map([
			['README.md', index],
			...pages.map((text) => [`${anchorOf(titleOf(text))}.md`, text] as const),
		]),
	);
}

const titleOf = (page: string) => /^# (.*)$/m.exec(page)?.[1] ?? '';

/** Joins paragraphs, without empty ones. */
const joined = (...paragraphs: string[]) => paragraphs.filter(Boolean).join('\n\n');

/** Returns the pages with links to the right page: until then, all name only a heading. */
function linked(pages: Map<string, string>): Map<string, string> {
	const homes = new Map(
		[...pages].flatMap(([file, text]) =>
			[...text.matchAll(/^#+ (.*)$/gm)].map(
				([, heading = '']) => [anchorOf(heading), file] as const,
			),
		),
	);
	const relinked = (file: string, text: string) =>
		text.replace(/\]\(#([^)]+)\)/g, (link, anchor: string) => {
			const home = homes.get(anchor);
			return home === file ? link : `](${home}#${anchor})`;
		});
	return new Map(
		[...pages].map(([file, text]) => [
			path.posix.join(REFERENCE, file),
			`${relinked(file, text)}\n`,
		]),
	);
}

/** The rows that several operations share, by label: of rows with the same label, the most frequent one. */
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

function sharedInputs(): string {
	const rows = [...SHARED].map(([label, text]) => ({ label, text }));
	return joined(
		'## Shared inputs',
		'Several operations have these inputs, and name them below their own.',
		inputTable(rows.sort((one, other) => one.label.localeCompare(other.label, 'en'))),
	);
}

/** Returns an operation's inputs: its own in a table, and the names of those that it shares. */
function inputsOf(properties: INodeProperties[]): string {
	const rows = inputRows(properties);
	if (rows.length === 0) return 'No inputs.';
	const own = rows.filter(({ label, text }) => SHARED.get(label) !== text);
	const others = rows.filter((row) => !own.includes(row)).map(({ label }) => label);
	return joined(
		own.length > 0 ? inputTable(own) : '',
		others.length > 0 ? `[Shared inputs](#shared-inputs): ${others.join(', ')}.` : '',
	);
}

const typeOf = (name: string) => `Type ${code(`${readManifest().name}.${name}`)}.`;

const credentialPart = ({ displayName, name, properties }: ICredentialType) =>
	joined(`## Credential: ${displayName}`, `Type ${code(name)}.`, inputTable(inputRows(properties)));

const nodePart = ({ description: { displayName, name, description } }: INodeType) =>
	joined(
		`## Node: ${displayName}`,
		`${typeOf(name)} ${description}. AI agents can use it as a tool. Its operations are on the pages of the resources.`,
	);

const triggerPart = ({ description: { displayName, name, description, properties } }: INodeType) =>
	joined(
		`# ${displayName}`,
		`${typeOf(name)} ${description}.`,
		inputTable(inputRows(properties)),
		exampleOf(name),
	);

function resourcePart(resource: Resource): string {
	const { name, value, description, isOffline, operations } = resource;
	const credential = isOffline ? ' Needs no credential.' : '';
	return joined(
		`# ${name}`,
		`Resource ${code(value)} of the **Virtual PBX** node. ${description}.${credential}`,
		...operations.map((operation) => operationPart(resource, operation)),
	);
}

function operationPart(resource: Resource, operation: Operation): string {
	const { name, value, description, output, parameters, kind } = operation;
	const pace =
		kind === 'read' ? 'Processes several items at once.' : 'Processes items one after another.';
	return joined(
		`## ${resource.name}: ${name}`,
		`Operation ${code(value)}. ${description}. ${pace}`,
		inputsOf(propertiesOf(parameters)),
		`**Output:** ${output}.`,
		exampleOf(`${resource.value}:${value}`),
	);
}

/** Returns an example, or a link to the first heading that has the same one. */
function exampleOf(place: string): string {
	if (!EXAMPLES[place]) return '';
	const textOf = (name: string) => compact(JSON.stringify(EXAMPLES[name], null, 2));
	const first = Object.keys(EXAMPLES).find((name) => textOf(name) === textOf(place)) ?? place;
	if (first === place)
		return `Example of a simplified item:\n\n\`\`\`json\n${textOf(place)}\n\`\`\``;
	const heading = headingOf(first);
	return `Example of a simplified item: as in [${heading}](#${anchorOf(heading)}).`;
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
	const choiceRow = ({ name, value }: ReturnType<typeof choicesIn>[number]) =>
		`| ${name.replace(` (${String(value)})`, '')} | ${code(String(value))} |`;
	return [
		...[...rows].map(([name, fields]) => joined(`## ${name}`, inputTable(inputRows(fields)))),
		...[...long].map(([name, property]) => {
			const table = ['| Choice | Value |', '| --- | --- |', ...choicesIn(property).map(choiceRow)];
			return joined(`## ${name}`, table.join('\n'));
		}),
	];
}
