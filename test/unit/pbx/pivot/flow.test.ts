import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	completeFlow,
	flowFault,
	withPivotRoot,
} from '../../../../nodes/VirtualPbx/pbx/callflows/pivotModule';

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
	])('refuses %j and says where', (value, fault) => {
		expect(flowFault(value)).toBe(fault);
	});

	it('refuses more modules in a row than the stack has room for', () => {
		const chain = (length: number): IDataObject => {
			let tree: IDataObject = { module: 'play' };
			for (let count = 1; count < length; count++) tree = { module: 'play', children: { _: tree } };
			return tree;
		};
		expect(flowFault(chain(1001))).toBeUndefined();
		expect(flowFault(chain(1002))).toBe('the flow has more than 1000 modules one after another');
	});
});

describe('completeFlow', () => {
	it('gives every node data and children, and loses nothing', () => {
		fc.assert(
			fc.property(flow, (tree) => {
				expect(flowFault(tree)).toBeUndefined();
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
