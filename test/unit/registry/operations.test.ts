import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

import { buildProperties, DEFAULT_RESOURCE, RESOURCES } from '../../../nodes/VirtualPbx/actions';
import type { Operation } from '../../../nodes/VirtualPbx/actions/operation';
import { PARAMETERS } from '../../faults/operations';
import { ROOT } from '../../../tools/docs/registered';

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
