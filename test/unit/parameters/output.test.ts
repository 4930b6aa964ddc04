import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { CallOutput } from '../../../nodes/VirtualPbx/calls/call';
import { defineOutput, readShape } from '../../../nodes/VirtualPbx/parameters/output';
import { itemScope, propertiesOf } from '../../../nodes/VirtualPbx/parameters/parameter';

const raw = { callId: 'call', A: '1', b: { c: { d: 2 }, e: null }, f: [1] };
const simplify = ({ A }: IDataObject): IDataObject => ({
	a: Number(A),
	A: 'simple',
	details: { inner: 3 },
});
const { details, ...simple } = simplify(raw);
const toSimple = (object: IDataObject, { includeDetails }: CallOutput) => {
	const { details: more, ...top } = simplify(object);
	return includeDetails ? { ...top, details: more } : top;
};

/** Shapes one object as the node, or a tool made of it, would with these parameters. */
function shape(parameters: IDataObject, type = 'n8n-nodes-virtual-pbx.virtualPbx') {
	const context = {
		getNode: () => ({ type }),
		getNodeParameter: (name: string, _: number, fallback: unknown) => parameters[name] ?? fallback,
	};
	const at = itemScope(context as unknown as IExecuteFunctions, 0);
	const toRaw = (object: IDataObject) => object;
	return readShape(at, { toSimple, toRaw }, undefined)(raw);
}
const asTool = (parameters: IDataObject) =>
	shape(parameters, 'n8n-nodes-virtual-pbx.virtualPbxTool');

describe('Simplify', () => {
	it.each([
		[{}, simple],
		[{ simplify: 'true' }, simple],
		[{ options: { includeDetails: true } }, { ...simple, details }],
		[{ simplify: false }, raw],
		[{ simplify: false, output: 'simplified' }, raw],
	])('gives for %j the right form', (parameters, expected) => {
		expect(shape(parameters)).toEqual(expected);
	});
});

describe('Output, for an AI agent', () => {
	it.each([
		[{}, simple],
		[{ output: 'raw' }, raw],
		[{ output: 'simplified', simplify: false }, simple],
		[
			{ output: 'selectedFields', selectedFields: ['a', 'b.c.d', 'inner', 'details.inner'] },
			{ callId: 'call', a: 1, 'b.c.d': 2, inner: 3, 'details.inner': 3 },
		],
		[
			{ output: 'selectedFields', selectedFields: 'A, f ,missing,b.x.y' },
			{ callId: 'call', A: 'simple', f: [1] },
		],
		[
			{ output: 'selectedFields', selectedFields: ['constructor', '__proto__', ''] },
			{ callId: 'call' },
		],
		[{ output: 'selectedFields' }, simple],
	])('gives for %j the right form', (parameters, expected) => {
		expect(asTool(parameters)).toEqual(expected);
	});
});

it('offers Simplify to people and Output to agents', () => {
	const [simple, output, fields] = propertiesOf(
		defineOutput({ b: 1, details: { a: null } }, ['C']),
	);

	expect(simple?.displayOptions).toEqual({ hide: { '@tool': [true] } });
	expect(output?.displayOptions).toEqual({ show: { '@tool': [true] } });
	expect(fields?.options).toEqual([
		{ name: 'a', value: 'a' },
		{ name: 'b', value: 'b' },
		{ name: 'C', value: 'C' },
	]);
});
