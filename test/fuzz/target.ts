import assert from 'node:assert/strict';
import fc from 'fast-check';

/** Code under test with hostile input. */
export interface Target {
	name: string;
	property: fc.IRawProperty<unknown, boolean>;
}

/** The maximum CPU time for one input: a hundred times what the slowest target needs. */
const MAX_MS = 5000;

/**
 * Defines a target that checks pure functions.
 *
 * @param check throws if a property doesn't hold
 */
export function target<T>(name: string, input: fc.Arbitrary<T>, check: (input: T) => void): Target {
	const property = fc.property(input, (value) => {
		const before = process.cpuUsage();
		check(value);
		const { user, system } = process.cpuUsage(before);
		const took = (user + system) / 1000;
		assert.ok(took < MAX_MS, `It took ${Math.round(took)} ms`);
		assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined, 'Object.prototype is polluted');
	});
	return { name, property: property as fc.IRawProperty<unknown, boolean> };
}

/** Calls a function. Rethrows any error except the kind that it documents. */
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

/** Fails if JSON can't represent a value, such as undefined or a function. */
export function isJson(value: unknown): void {
	assert.equal(typeof JSON.stringify(value), 'string');
}
