import { readdirSync } from 'node:fs';
import path from 'node:path';

import { DEFAULT_RESOURCE, RESOURCES } from '../../../nodes/VirtualPbx/operations';
import type { Operation, Resource } from '../../../nodes/VirtualPbx/operations/contract';
import { buildProperties } from '../../../nodes/VirtualPbx/operations/properties';
import { ROOT } from '../../../tools/docs/registered';

const FOLDER = path.join(ROOT, 'nodes/VirtualPbx/operations');
const operations = RESOURCES.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}:${operation.value}`,
		resource,
		operation,
	})),
);
const sorted = (names: string[]) => [...names].sort((a, b) => a.localeCompare(b));

function filesOf(folder: string): string[] {
	return readdirSync(path.join(FOLDER, folder)).filter((file) => file.endsWith('.operation.ts'));
}

describe('the registry of resources', () => {
	const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) =>
		entry.isDirectory(),
	);

	it.each(folders.map(({ name }) => name))(
		'has the resource and every operation of operations/%s',
		async (folder) => {
			const resources = Object.values(
				(await import(path.join(FOLDER, folder))) as Record<string, Resource>,
			);
			expect(RESOURCES).toContain(resources[0]);

			for (const file of filesOf(folder)) {
				const found = Object.values(
					(await import(path.join(FOLDER, folder, file))) as Record<string, Operation>,
				);
				const own = found.find(({ execute }) => typeof execute === 'function');
				expect({
					file,
					isOffered: own !== undefined && resources[0]?.operations.includes(own),
				}).toEqual({ file, isOffered: true });
			}
			expect(resources[0]?.operations).toHaveLength(filesOf(folder).length);
		},
	);

	it('lists resources and operations by name', () => {
		const names = RESOURCES.map(({ name }) => name);
		expect(names).toEqual(sorted(names));
		for (const resource of RESOURCES) {
			const own = resource.operations.map(({ name }) => name);
			expect(own).toEqual(sorted(own));
		}
	});

	it('has defaults that exist, and the first one for ever', () => {
		expect(DEFAULT_RESOURCE).toBe('call');
		expect(RESOURCES.find(({ value }) => value === 'call')?.defaultOperation).toBe('getMany');
		for (const { value, operations: own, defaultOperation } of RESOURCES) {
			expect([value, own.map((operation) => operation.value)]).toEqual([
				value,
				expect.arrayContaining([defaultOperation]),
			]);
		}
	});
});

describe.each(operations)('$name', ({ resource, operation }) => {
	it('is described as n8n wants it', () => {
		const { value, name, action, description, output } = operation;
		expect(value).toMatch(/^[a-z][a-zA-Z]*$/);
		expect(name).toMatch(/^[A-Z][A-Za-z]*( ([A-Z][A-Za-z]*|or|of|and|a|the))*$/);
		expect(action).toMatch(/^[A-Z][a-z]+ [^A-Z.]*[A-Za-z]$/);
		expect(description).toMatch(/^[A-Z].*[^.]$/s);
		expect(description).not.toBe(name);
		expect(output).toMatch(/^[a-zA-Z].*[^.]$/s);
		expect(operation.hint ?? 'None.').toMatch(/^[A-Z].*\.$/s);
		if (value === 'getMany')
			expect([name, action.startsWith('Get many ')]).toEqual(['Get Many', true]);
		if (value === 'upsert') expect(description).toContain('(upsert)');
		if (value === 'delete') expect(output).toContain('deleted');
	});

	it('is offered, and its fields show only there', () => {
		const properties = buildProperties(RESOURCES);
		const selector = properties.find(
			({ name, displayOptions }) =>
				name === 'operation' && displayOptions?.show?.resource?.[0] === resource.value,
		);
		expect(selector?.options).toContainEqual(
			expect.objectContaining({ value: operation.value, action: operation.action }),
		);

		const own = properties.filter(({ displayOptions }) => {
			const { resource: of, operation: within } = displayOptions?.show ?? {};
			return of?.[0] === resource.value && within?.[0] === operation.value;
		});
		expect(own.map(({ name }) => name)).toEqual(operation.fields.map(({ name }) => name));
		for (const { displayOptions } of own) {
			expect([displayOptions?.show?.resource, displayOptions?.show?.operation]).toEqual([
				[resource.value],
				[operation.value],
			]);
		}
	});

	it('has no two fields of one name that show together', () => {
		const keys = operation.fields.map(
			({ name, displayOptions }) => `${name} ${JSON.stringify(displayOptions ?? {})}`,
		);
		expect(new Set(keys).size).toBe(keys.length);
		const always = operation.fields
			.filter(({ displayOptions }) => !displayOptions)
			.map(({ name }) => name);
		expect(
			operation.fields.filter(
				({ name, displayOptions }) => displayOptions && always.includes(name),
			),
		).toEqual([]);
	});
});
