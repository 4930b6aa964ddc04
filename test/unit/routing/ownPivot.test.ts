import { isKept } from '../../../nodes/VirtualPbx/connecting/ownPivot';

describe('what the PBX has kept of what it was given', () => {
	it.each([
		[{ a: [1, { b: 2 }] }, { a: [1, { b: 2, more: 3 }], more: 4 }, true],
		[{ a: [1, 2] }, { a: [1] }, false],
		[{ a: [1] }, { a: 1 }, false],
		[{ a: [1] }, { a: [2] }, false],
		[{ children: {} }, {}, true],
		[{ children: { _: {} } }, {}, false],
		[{ a: undefined }, { a: null }, true],
		[{ a: 1 }, { a: '1' }, false],
	])('%j in %j: %s', (given, found, isAll) => {
		expect(isKept(given, found)).toBe(isAll);
	});
});
