import type { IDataObject } from 'n8n-workflow';
import {
	CALLFLOW,
	connectedTo,
	OLD_FLOW,
	startCallflowPbx,
	watchWarnings,
} from '../support/callflowPbx';
import type { CallflowPbx } from '../support/callflowPbx';

/** A PBX that takes a callflow only as the contract shows it, and replaces the old one by it. */
describe('a routing trigger on a PBX that refuses fields of a callflow', () => {
	let pbx: CallflowPbx;
	let warnings: string[];
	beforeAll(async () => (pbx = await startCallflowPbx()));
	afterAll(async () => await pbx.close());
	beforeEach(() => {
		pbx.reset();
		warnings = watchWarnings();
	});
	afterEach(() => jest.restoreAllMocks());

	const dataOf = (body: unknown) => (body as { data: IDataObject }).data;

	it('puts back what it can, and names the rest', async () => {
		const { ringback } = CALLFLOW;
		pbx.store.set('cf1', { ...structuredClone(CALLFLOW), etag: 'x' });
		pbx.fault = ({ method, body }) =>
			method === 'POST' && 'etag' in dataOf(body) ? { status: 400, body: {} } : undefined;
		const trigger = await pbx.makeTrigger();
		await trigger.activate();

		expect(pbx.store.get('cf1')).toMatchObject({
			ringback,
			flow: connectedTo(trigger.url(), OLD_FLOW),
		});
		expect(warnings.join()).toContain('callflow cf1 lost its fields etag');
		await trigger.close();
	});

	it('says in the log what is lost, and what it held', async () => {
		pbx.fault = ({ method, body }) =>
			method === 'POST' && 'ringback' in dataOf(body) ? { status: 400, body: {} } : undefined;
		const trigger = await pbx.makeTrigger();
		await trigger.activate();

		expect(pbx.flowOf()).toEqual(connectedTo(trigger.url(), OLD_FLOW));
		expect(warnings.join()).toContain('lost its fields ringback');
		expect(warnings.join()).toContain(JSON.stringify({ ringback: CALLFLOW.ringback }));
		await trigger.close();
	});
});
