import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { NodeHelpers, webhookDescriptionIsNativelyResolvable } from 'n8n-workflow';
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

import { VirtualPbx } from '../../../nodes/VirtualPbx/VirtualPbx.node';
import { VirtualPbxRoutingTrigger } from '../../../nodes/VirtualPbx/VirtualPbxRoutingTrigger.node';
import { VirtualPbxTrigger } from '../../../nodes/VirtualPbx/VirtualPbxTrigger.node';
import { buildProperties, DEFAULT_RESOURCE, RESOURCES } from '../../../nodes/VirtualPbx/actions';
import type { Operation } from '../../../nodes/VirtualPbx/actions/operation';
import { ROOT, registeredNodes } from '../../../tools/docs/registered';
import { PARAMETERS } from '../../faults/operations';
import { allProperties } from '../../support/nodes';

const FOLDER = path.join(ROOT, 'nodes/VirtualPbx/actions');
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
	file.endsWith('.operation.ts'),
);
const operations = RESOURCES.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}:${operation.value}`,
		resource,
		operation,
	})),
);
const properties = buildProperties(RESOURCES);

describe('the registry of resources', () => {
	it.each(FILES)('has the operation of actions/%s', async (file) => {
		const found = Object.values((await import(path.join(FOLDER, file))) as object) as Operation[];
		const own = found.find(({ execute }) => typeof execute === 'function');
		expect(operations.map(({ operation }) => operation)).toContain(own);
	});

	it('has its operations in the fault matrix (test/faults/operations.ts)', () => {
		expect(Object.keys(PARAMETERS).sort()).toEqual(operations.map(({ name }) => name).sort());
	});

	it('takes the operation that CONTRIBUTING.md shows', async () => {
		const [, lines = ''] = /```ts\n([^]*?)```/.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
		const { outputText } = transpileModule(lines, {
			compilerOptions: { target: ScriptTarget.ES2022, module: ModuleKind.CommonJS },
		});
		const folder = path.join(FOLDER, 'webhook');
		const load = (file: string): unknown => jest.requireActual(path.join(folder, file));
		const made: Record<string, Operation> = {};
		new Function('require', 'exports', outputText)(load, made);
		const required = ['value', 'name', 'action', 'description', 'kind', 'parameters', 'output'];
		expect(Object.keys(made.count ?? {})).toEqual([...required, 'execute']);
	});

	it('lists resources and operations by name', () => {
		for (const list of [RESOURCES, ...RESOURCES.map((resource) => resource.operations)]) {
			const names = list.map(({ name }) => name);
			expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
		}
	});

	it('has defaults that exist, and the first one for ever', () => {
		expect(DEFAULT_RESOURCE).toBe('call');
		expect(RESOURCES.find(({ value }) => value === 'call')?.defaultOperation).toBe('getMany');
		for (const { operations: own, defaultOperation } of RESOURCES)
			expect(own.map(({ value }) => value)).toContain(defaultOperation);
	});
});

describe.each(operations)('$name', ({ resource, operation }) => {
	it('is offered, and its fields show only there', () => {
		const selector = properties.find(
			({ name, displayOptions }) =>
				name === 'operation' && displayOptions?.show?.resource?.[0] === resource.value,
		);
		expect(selector?.options).toContainEqual(
			expect.objectContaining({ value: operation.value, action: operation.action }),
		);
		const place = { resource: [resource.value], operation: [operation.value] };
		const own = properties.filter(({ displayOptions }) => {
			const { resource: of, operation: within } = displayOptions?.show ?? {};
			return JSON.stringify({ resource: of, operation: within }) === JSON.stringify(place);
		});
		expect(own.map(({ name }) => name)).toEqual(
			operation.parameters.map(({ property }) => property.name),
		);
	});
});

const { description } = new VirtualPbx();

/** What n8n would complain about before it starts a workflow with such a node; names of parameters. */
function complaints(parameters: INodeParameters): string[] {
	const node: INode = {
		id: 'a',
		name: 'PBX',
		type: 'virtualPbx',
		typeVersion: 1,
		position: [0, 0],
		parameters,
	};
	const issues = NodeHelpers.getNodeParametersIssues(description.properties, node, description);
	return Object.keys(issues?.parameters ?? {});
}

describe('choices that come from expressions', () => {
	const upsert = { resource: 'callflow', operation: 'upsert', number: '100' };

	it('do not make a field required that may belong to another choice', () => {
		expect(complaints({ ...upsert, flowSource: '={{ $json.kind }}' })).toEqual([]);
		expect(complaints({ ...upsert, flowSource: 'pivot' })).toEqual(['serviceUrl']);
		expect(complaints({ ...upsert, flowSource: 'json' })).toEqual([]);
	});

	it('of what to work on do not either', () => {
		const file = { binaryPropertyName: 'data' };
		const download = { resource: 'recording', operation: 'download', ...file };
		const attempts = { resource: 'webhook', operation: 'getAttempts' };

		expect(complaints({ ...download, source: '={{ $json.source }}' })).toEqual([]);
		expect(complaints({ ...attempts, attemptsOf: '={{ $json.scope }}' })).toEqual([]);
	});

	it('do not bring in the fields of other operations', () => {
		const many = { resource: 'callflow', operation: 'getMany', returnAll: '={{ true }}' };
		const parameters = NodeHelpers.getNodeParameters(
			description.properties,
			many,
			true,
			false,
			null,
			description,
		);

		expect(Object.keys(parameters ?? {}).sort()).toEqual(
			['filters', 'limit', 'operation', 'options', 'resource', 'returnAll'].sort(),
		);
	});
});

const nodes = registeredNodes().then((all) =>
	all.map(({ description, methods }) => ({
		searches: Object.keys(methods?.listSearch ?? {}),
		properties: allProperties(description.properties),
	})),
);

/** Names of the properties that break a rule, so that a failure names them. */
const breaking = async (rule: (property: INodeProperties) => boolean) =>
	(await nodes)
		.flatMap(({ properties }) => properties.filter(({ property }) => !rule(property)))
		.map(({ trail }) => trail);

// What n8n's lint checks of names, descriptions, defaults and order is not repeated here.
describe('inputs of every node', () => {
	it("ask for none of n8n's checks at run time, which we leave out where there are many items", async () => {
		const isUnchecked = ({ validateType, type, modes = [] }: INodeProperties) =>
			validateType === undefined &&
			type !== 'resourceMapper' &&
			modes.every(({ extractValue }) => extractValue === undefined);
		expect(await breaking(isUnchecked)).toEqual([]);
	});

	it('search lists by a method that the node has, and default to the list', async () => {
		for (const { searches, properties } of await nodes) {
			const wanted = properties
				.flatMap(({ property }) => property.modes ?? [])
				.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
			expect(searches).toEqual(expect.arrayContaining(wanted));
		}
		const defaultsToList = ({ type, modes, default: value }: INodeProperties) =>
			type !== 'resourceLocator' ||
			(modes?.[0]?.name === 'list' && (value as { mode?: string }).mode === 'list');
		expect(await breaking(defaultsToList)).toEqual([]);
	});
});

/** n8n makes a sandbox for a request as soon as it evaluates an expression before our webhook() runs (docs/internals/n8n.md). */
describe.each([new VirtualPbxTrigger(), new VirtualPbxRoutingTrigger()])(
	'a request to $description.displayName',
	({ description }) => {
		it('needs no expression of the description', () => {
			expect(description.webhooks?.map(webhookDescriptionIsNativelyResolvable)).toEqual(
				description.webhooks?.map(() => true),
			);
		});

		it('finds no version 1, for which n8n evaluates an expression about each body', () => {
			expect([description.version].flat()).not.toContain(1);
		});
	},
);
