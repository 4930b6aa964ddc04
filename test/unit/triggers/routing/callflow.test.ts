import fc from 'fast-check';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import {
	ownPivotsIn,
	pivotData,
	withoutOwnPivots,
	withPivotData,
	withPivotInFront,
	isKept,
} from '../../../../nodes/VirtualPbx/pbx/callflows/flow';
import { DIALECTS } from '../../../../nodes/VirtualPbx/pbx/dialects';
import {
	deadline,
	readFallback,
	readSafely,
} from '../../../../nodes/VirtualPbx/triggers/routing/parameters';
import { deadlineLeft } from '../../../../nodes/VirtualPbx/triggers/routing/receive';

const OWN = 'n8n.example/webhook/a/routing';
const pivot = (webserver: string, timeout = '5') =>
	pivotData(
		DIALECTS.contract,
		{ webserver, scheme: 'https', method: 'GET', timeout, format: 'pbx' },
		'cf1',
	);

const tree = fc.letrec<{ flow: IDataObject; own: IDataObject; foreign: IDataObject }>((tie) => ({
	flow: fc.oneof({ depthSize: 'small' }, tie('foreign'), tie('own')),
	own: fc.option(tie('flow'), { nil: undefined }).map((old) => withPivotInFront(old, pivot(OWN))),
	foreign: fc.record({
		module: fc.constantFrom('user', 'menu', 'pivot'),
		data: fc.record({ id: fc.nat() }),
		children: fc.oneof(
			{ depthSize: 'small' },
			fc.constant({}),
			fc.dictionary(fc.constantFrom('_', '1', 'r1'), tie('flow'), { maxKeys: 2 }),
		),
	}) as fc.Arbitrary<IDataObject>,
})).flow;

const foreignIds = (value: unknown): unknown[] => {
	if (typeof value !== 'object' || value === null) return [];
	const { id } = ((value as IDataObject).data ?? {}) as IDataObject;
	return [...(id === undefined ? [] : [id]), ...Object.values(value).flatMap(foreignIds)];
};

describe('our pivot nodes in a flow', () => {
	it('all get the same parameters, and nothing else is changed', () => {
		fc.assert(
			fc.property(tree, (flow) => {
				const changed = withPivotData(flow, [OWN], pivot(OWN, '9'));
				for (const { data } of ownPivotsIn(changed, OWN))
					expect(data).toMatchObject({ req_timeout: '9' });
				expect(foreignIds(changed)).toEqual(foreignIds(flow));
			}),
		);
	});

	it('are known with an address in another order', () => {
		const flow = { module: 'pivot', data: { voice_url: `{dflow}&webserver=${OWN}&callflow_id=1` } };
		expect(ownPivotsIn({ children: { _: flow } }, OWN)).toEqual([flow]);
	});

	it('take a branch with them in which they stood alone', () => {
		const own = withPivotInFront(undefined, pivot(OWN));
		const menu = (children: IDataObject) => ({ module: 'menu', data: {}, children });
		const flow = menu({});
		expect(withoutOwnPivots(menu({ '1': own, '2': own }), OWN)).toEqual({ flow, stays: [] });
		expect(withoutOwnPivots(own, OWN)).toEqual({ flow: undefined, stays: [] });
	});
});

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

it.each([new Error('no such field'), 'no such field'])(
	'a parameter that is read while a call waits gives its default when its expression fails, and the log says why',
	(fault) => {
		const error = jest.fn();
		const getNodeParameter = () => {
			throw fault;
		};
		const context = { getNode: () => ({ name: 'Call' }), getNodeParameter, logger: { error } };
		expect(readSafely(context as unknown as IWebhookFunctions, deadline)).toBe(4);
		expect(error.mock.calls).toEqual([
			['Call: the parameter "deadline" can\'t be read: no such field'],
		]);
	},
);

it('drops a fallback step that no JSON can hold, and says so', () => {
	const step: Record<string, unknown> = { type: 'extension', extension: '100' };
	const circular: Record<string, unknown> = { ...step };
	circular.self = circular;
	const context = { getNodeParameter: () => ({ step: [circular, step] }) };
	expect(readFallback(context as unknown as IWebhookFunctions)).toEqual({
		fallback: { operations: [step] },
		dropped: ["Step 1: it can't be written as JSON"],
	});
});

it.each([
	[100, 85],
	[1000, 850],
	[4000, 3400],
	[60_000, 59_400],
])('of a deadline of %d ms, %d ms are left: 15 %% less, by 0.6 s at most', (given, left) => {
	expect(deadlineLeft(given)).toBe(left);
});
