import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	ownPivotsIn,
	pivotData,
	withoutOwnPivots,
	withPivotData,
	withPivotInFront,
} from '../../../../nodes/VirtualPbx/pbx/callflows/flow';
import { DIALECTS } from '../../../../nodes/VirtualPbx/pbx/dialects';

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
		const flow = { module: 'menu', data: {}, children: { '1': own, '2': own } };
		const rest = { ...flow, children: {} };
		expect(withoutOwnPivots(flow, OWN)).toEqual({ flow: rest, stays: [] });
		expect(withoutOwnPivots(own, OWN)).toEqual({ flow: undefined, stays: [] });
	});
});
