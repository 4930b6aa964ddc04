import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { NodeHelpers, webhookDescriptionIsNativelyResolvable } from 'n8n-workflow';
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

import { VirtualPbx } from '../../../nodes/VirtualPbx/VirtualPbx.node';
import { VirtualPbxRoutingTrigger } from '../../../nodes/VirtualPbx/VirtualPbxRoutingTrigger.node';
import { VirtualPbxTrigger } from '../../../nodes/VirtualPbx/VirtualPbxTrigger.node';
import { DEFAULT_RESOURCE, RESOURCES } from '../../../nodes/VirtualPbx/actions';
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
		operation,
	})),
);

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

	it('has defaults that exist, and the first one for ever', () => {
		expect(DEFAULT_RESOURCE).toBe('call');
		expect(RESOURCES.find(({ value }) => value === 'call')?.defaultOperation).toBe('getMany');
		for (const { operations: own, defaultOperation } of RESOURCES)
			expect(own.map(({ value }) => value)).toContain(defaultOperation);
	});

	it('lists resources and operations by name', () => {
		for (const list of [RESOURCES, ...RESOURCES.map((resource) => resource.operations)]) {
			const names = list.map(({ name }) => name);
			expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
		}
	});
});

const { description } = new VirtualPbx();

/** What n8n would complain about before it starts a workflow with such a node; names of parameters. */
function complaints(parameters: INodeParameters): string[] {
	const place = { id: 'a', name: 'PBX', type: 'virtualPbx', typeVersion: 1, position: [0, 0] };
	const node = { ...place, parameters } as INode;
	const issues = NodeHelpers.getNodeParametersIssues(description.properties, node, description);
	return Object.keys(issues?.parameters ?? {});
}

describe('choices that come from expressions', () => {
	const upsert = { resource: 'callflow', operation: 'upsert', number: '100' };
	const download = { resource: 'recording', operation: 'download', binaryPropertyName: 'data' };

	it.each<[INodeParameters, string[]]>([
		[{ ...upsert, flowSource: '={{ $json.kind }}' }, []],
		[{ ...upsert, flowSource: 'pivot' }, ['serviceUrl']],
		[{ ...upsert, flowSource: 'json' }, []],
		[{ ...download, source: '={{ $json.source }}' }, []],
		[{ resource: 'webhook', operation: 'getAttempts', attemptsOf: '={{ $json.scope }}' }, []],
	])('make no field required that may belong to another choice: %j', (parameters, required) => {
		expect(complaints(parameters)).toEqual(required);
	});

	it.each(operations)(
		'do not bring in the fields of other operations: $name',
		({ name, operation }) => {
			const [resource, value] = name.split(':');
			const given = { resource, operation: value, returnAll: '={{ true }}' } as INodeParameters;
			const { properties } = description;
			const all = NodeHelpers.getNodeParameters(properties, given, true, false, null, description);
			const own = operation.parameters.map(({ property }) => property.name);
			expect(['resource', 'operation', ...own]).toEqual(
				expect.arrayContaining(Object.keys(all ?? {})),
			);
		},
	);
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
