import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { completeFlow, flowFault, withPivotRoot } from '../../../nodes/VirtualPbx/pivot/module';

const { flow } = fc.letrec<{ flow: IDataObject }>((tie) => ({
	flow: fc.record(
		{
			module: fc.string({ minLength: 1 }).filter((name) => name.trim() !== '' && name !== 'pivot'),
			data: fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<IDataObject>,
			children: fc.dictionary(fc.string(), tie('flow'), { maxKeys: 3, depthIdentifier: 'flow' }),
			stick_node: fc.boolean(),
		},
		{ requiredKeys: ['module'] },
	) as fc.Arbitrary<IDataObject>,
}));

describe('flowFault', () => {
	it('accepts every tree of modules', () => {
		fc.assert(
			fc.property(flow, (tree) => expect(flowFault(tree)).toBeUndefined()),
			{ numRuns: 50 },
		);
	});

	it.each([[null], [[]], ['text'], [7], [undefined]])('refuses %j', (value) => {
		expect(flowFault(value)).toBe('a flow must be a JSON object');
	});

	it.each([
		[{}, 'the flow has no "module"'],
		[{ module: ' ' }, 'the flow has no "module"'],
		[{ module: 'a', data: [] }, '"data" must be a JSON object'],
		[{ module: 'a', children: [] }, '"children" must be a JSON object, or {} if there are none'],
		[
			{ module: 'a', children: { _: { module: 'b', children: { 1: {} } } } },
			'at "children._.children.1": the flow has no "module"',
		],
		[{ module: 'pivot', data: { voice_url: 5 } }, '"voice_url" must be text'],
	])('refuses %j and says where', (value, fault) => {
		expect(flowFault(value)).toBe(fault);
	});

	it('names the first fault in reading order', () => {
		const tree = { module: 'a', children: { a: { module: '' }, b: null } };
		expect(flowFault(tree)).toContain('children.a');
	});

	it('stands a very deep tree', () => {
		let tree: IDataObject = {};
		for (let depth = 0; depth < 3000; depth++) tree = { module: 'a', children: { _: tree } };
		expect(flowFault(tree)).toContain('the flow has no "module"');
	});

	it.each([
		['{dflow}&callflow_id=a&webserver=b.example/c?d=e', true],
		['{dflow}&callflow_id=a&webserver=b.example/c&d=e', true],
		['{dflow}&callflow_id=a&webserver=b.example/c#d', true],
		['{dflow}&callflow_id=a&webserver=b.example:8080/c', false],
		['https://b.example/c?d=e', false],
	])('judges the address %s', (address, isWrong) => {
		const node = { module: 'pivot', data: { voice_url: address }, children: {} };
		expect(flowFault(node) !== undefined).toBe(isWrong);
	});
});

describe('completeFlow', () => {
	it('gives every node data and children, and loses nothing', () => {
		fc.assert(
			fc.property(flow, (tree) => {
				const complete = completeFlow(tree);
				expect(complete).toMatchObject(tree);
				const open = [complete];
				for (let node = open.pop(); node; node = open.pop()) {
					expect(node).toMatchObject({ data: expect.any(Object), children: expect.any(Object) });
					open.push(...Object.values(node.children as Record<string, IDataObject>));
				}
			}),
			{ numRuns: 50 },
		);
	});
});

describe('withPivotRoot', () => {
	const data = { method: 'GET', voice_url: 'x' };

	it('keeps what the form does not set of a pivot node', () => {
		const children = { _: { module: 'user', data: {}, children: {} } };
		const current = {
			module: 'pivot',
			data: { method: 'POST', debug: true },
			children,
			stick_node: true,
		};

		expect(withPivotRoot(current, data)).toEqual({
			module: 'pivot',
			data: { method: 'GET', debug: true, voice_url: 'x' },
			children,
			stick_node: true,
		});
	});

	it.each([undefined, null, { module: 'user', data: {}, children: { _: {} } }])(
		'makes a new node in place of %j',
		(current) => {
			expect(withPivotRoot(current, data)).toEqual({ module: 'pivot', data, children: {} });
		},
	);
});
