import assert from 'node:assert/strict';
import fc from 'fast-check';

/** Something that hostile input is thrown at. */
export interface Target {
	name: string;
	property: fc.IRawProperty<unknown, boolean>;
}

/** Nothing here may take more processor time for one input; a hundred times what the slowest needs. */
const LONGEST_MS = 5000;

/**
 * Makes a target of pure functions.
 *
 * @param check throws where a property does not hold
 */
export function target<T>(name: string, input: fc.Arbitrary<T>, check: (input: T) => void): Target {
	const property = fc.property(input, (value) => {
		const before = process.cpuUsage();
		check(value);
		const { user, system } = process.cpuUsage(before);
		const took = (user + system) / 1000;
		assert.ok(took < LONGEST_MS, `It took ${Math.round(took)} ms`);
		assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined, 'Object.prototype is polluted');
	});
	return { name, property: property as fc.IRawProperty<unknown, boolean> };
}

/** Fails unless a function throws nothing, or only errors of the kind that it documents. */
export function onlyThrows<T>(
	kind: abstract new (...args: never[]) => Error,
	call: () => T,
): T | undefined {
	try {
		return call();
	} catch (error) {
		if (error instanceof kind) return undefined;
		throw error;
	}
}

/** What may be read from the outside: nothing here is undefined, a function or cut off by JSON. */
export function isJson(value: unknown): void {
	assert.equal(typeof JSON.stringify(value), 'string');
}
