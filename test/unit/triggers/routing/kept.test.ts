import { isKept } from '../../../../nodes/VirtualPbx/pbx/callflows/flow';

describe('what the PBX has kept of what it was given', () => {
	it.each([
		[{ a: [1, { b: 2 }] }, { a: [1, { b: 2, more: 3 }], more: 4 }, true],
		[{ a: [1, 2] }, { a: [1] }, false],
		[{ a: [1] }, { a: 1 }, false],
		[{ a: [1] }, { a: [2] }, false],
		[{ children: {} }, {}, true],
		[{ children: { _: {} } }, {}, false],
		[{ a: undefined }, { a: null }, true],
		[{ a: 1 }, { a: '1' }, true],
		[{ a: '5' }, { a: 5 }, true],
		[{ a: '007' }, { a: 7 }, false],
		[{ a: true }, { a: 'true' }, true],
		[{ a: 1 }, { a: {} }, false],
		[{ method: 'GET' }, { method: 'get' }, true],
		[{ method: 'GET' }, { method: 'post' }, false],
		[{ name: 'GET' }, { name: 'get' }, false],
		[{ voice_url: 'a/b' }, { voice_url: 'a/c' }, false],
	])('%j in %j: %s', (given, found, isAll) => {
		expect(isKept(given, found)).toBe(isAll);
	});
});
