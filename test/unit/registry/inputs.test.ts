import type { INodeProperties, INodePropertyOptions, INodeType } from 'n8n-workflow';

import { registeredCredentials, registeredNodes } from '../../../tools/docs/registered';
import { allProperties } from '../../support/nodes';
import type { FoundProperty } from '../../support/nodes';

/** Words that stay small in titles. */
const SMALL = /^(a|an|and|as|at|by|for|from|in|it|of|on|or|per|the|to|with)$/;
const DEFAULT_OF: Partial<Record<INodeProperties['type'], string>> = {
	string: 'string',
	number: 'number',
	boolean: 'boolean',
	collection: 'object',
	fixedCollection: 'object',
	multiOptions: 'object',
	resourceLocator: 'object',
};

let found: FoundProperty[];
let nodes: INodeType[];

beforeAll(async () => {
	nodes = await registeredNodes();
	const credentials = await registeredCredentials();
	found = [
		...nodes.flatMap(({ description }) => allProperties(description.properties)),
		...credentials.flatMap(({ properties }) => allProperties(properties)),
	];
});

/** Trails of the properties that break a rule, so that a failure names them. */
const breaking = (rule: (property: INodeProperties) => boolean) => [
	...new Set(found.filter(({ property }) => !rule(property)).map(({ trail }) => trail)),
];

const isTitle = (text: string) =>
	text
		.split(' ')
		.every((word, index) => (index > 0 && SMALL.test(word)) || /^[(A-Z0-9"]/.test(word));
const namedOptions = ({ type, options = [] }: INodeProperties) =>
	type === 'options' || type === 'multiOptions' ? (options as INodePropertyOptions[]) : [];
const isSorted = (names: string[]) =>
	names.every((name, index) => index === 0 || (names[index - 1] ?? '').localeCompare(name) <= 0);

describe('inputs of every node and credential', () => {
	it('have names in camel case, or as the PBX writes them', () => {
		expect(breaking(({ name }) => /^[a-z][a-zA-Z0-9]*$|^(http_verb)$/.test(name))).toEqual([]);
	});

	it('have display names in Title Case', () => {
		expect(breaking(({ displayName, type }) => type === 'notice' || isTitle(displayName))).toEqual(
			[],
		);
	});

	it('have a description that says more than the name', () => {
		expect(breaking((property) => isDescribed(property))).toEqual([]);
	});

	it("ask for none of n8n's checks at run time, which we leave out where there are many items", () => {
		const isUnchecked = ({ validateType, type, modes = [] }: INodeProperties) =>
			validateType === undefined &&
			type !== 'resourceMapper' &&
			modes.every(({ extractValue }) => extractValue === undefined);
		expect(breaking(isUnchecked)).toEqual([]);
	});

	it('end a description without a full stop, or each of several sentences with one', () => {
		expect(breaking(({ description = '' }) => isPunctuated(description))).toEqual([]);
	});

	it('begin the description of a switch with "Whether"', () => {
		expect(
			breaking(
				({ type, description = '' }) => type !== 'boolean' || description.startsWith('Whether'),
			),
		).toEqual([]);
	});

	it('write ID, URL and JSON so', () => {
		const isCased = (text = '') => !/\b(Id|id|Url|url|Json|json)\b/.test(text);
		expect(
			breaking(({ displayName, description, hint }) =>
				[displayName, description, hint].every(isCased),
			),
		).toEqual([]);
	});

	it('have a default of their kind', () => {
		expect(
			breaking(({ type, default: value }) => {
				const kind = DEFAULT_OF[type];
				return kind === undefined ? value !== undefined : typeof value === kind;
			}),
		).toEqual([]);
	});

	it('default to an option that exists', () => {
		expect(
			breaking((property) => {
				const values = namedOptions(property).map(({ value }) => value);
				return property.type !== 'options' || values.includes(property.default as string);
			}),
		).toEqual([]);
	});

	it('offer options in order, each with a name of its own', () => {
		expect(
			breaking((property) => {
				const names = namedOptions(property).map(({ name }) => name);
				return isSorted(names) && new Set(names).size === names.length;
			}),
		).toEqual([]);
	});

	it('list the entries of a collection in order', () => {
		expect(
			breaking(({ type, options = [] }) => {
				const names = (options as INodeProperties[]).map(({ displayName }) => displayName);
				return type !== 'collection' || isSorted(names);
			}),
		).toEqual([]);
	});

	it('give an example in placeholders', () => {
		const isExample = ({ type, placeholder = '' }: INodeProperties) =>
			placeholder === '' ||
			(/collection/i.test(type) ? /^(Add|Choose) / : /^e\.g\. /).test(placeholder);
		expect(breaking(isExample)).toEqual([]);
	});

	it('are required only where n8n allows it', () => {
		expect(
			breaking(({ type, options = [] }) => {
				const entries = options as INodeProperties[];
				return type !== 'collection' || entries.every(({ required }) => required !== true);
			}),
		).toEqual([]);
	});

	it('search lists by a method that the node has', () => {
		for (const node of nodes) {
			const wanted = allProperties(node.description.properties).flatMap(({ property }) =>
				searchesOf(property),
			);
			expect(Object.keys(node.methods?.listSearch ?? {})).toEqual(expect.arrayContaining(wanted));
		}
	});

	it('default to the list in resource locators', () => {
		expect(
			breaking(
				({ type, modes, default: value }) =>
					type !== 'resourceLocator' ||
					(modes?.[0]?.name === 'list' && (value as { mode?: string }).mode === 'list'),
			),
		).toEqual([]);
	});
});

function isDescribed({
	type,
	hint,
	description = hint,
	displayName,
	options,
}: INodeProperties): boolean {
	if (type === 'notice' || type === 'hidden' || type === 'collection') return true;
	if (description === undefined)
		return options !== undefined || /^(Name|Value|Operation|Resource)$/.test(displayName);
	return (
		description.trim() === description &&
		description !== displayName &&
		/^[A-Z0-9"{]/.test(description)
	);
}

function isPunctuated(description: string): boolean {
	const sentences = description.split(/(?<=[.?!]) +(?=[A-Z0-9])/).length;
	return description === '' || description.endsWith('.') === sentences > 1;
}

function searchesOf({ modes = [] }: INodeProperties): string[] {
	return modes
		.map(({ typeOptions }) => typeOptions?.searchListMethod)
		.filter((name) => name !== undefined);
}
