import type { IDataObject } from 'n8n-workflow';

import { flowFault } from '../../../../nodes/VirtualPbx/pbx/callflows/flow';

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
