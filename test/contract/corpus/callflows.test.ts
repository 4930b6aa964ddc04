import type { IDataObject } from 'n8n-workflow';
import type { StoredCredential, TestTrigger } from '../../support/core';
import { isOfPbx, placeIn, readCorpus, texts, titled } from '../../support/corpus';
import type { Entry } from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedPbx } from '../../support/scriptedPbx';
import { startRoutingTrigger } from '../../support/trigger/routing';

type Callflow = IDataObject & { id: string; flow: IDataObject };

/** A flow of so many nodes, one below the other. */
function chainOf(length: number): IDataObject {
	let flow: IDataObject = { module: 'hangup', data: {}, children: {} };
	for (let level = 1; level < length; level++)
		flow = { module: 'play', data: { id: `m${level}`, level }, children: { _: flow } };
	return flow;
}

const CORPUS = readCorpus<Array<Entry<Callflow>>>('callflows');
const DEEP: Entry<Callflow> = {
	source: '2600hz/kazoo: applications/crossbar/priv/couchdb/schemas/callflows.action.json',
	what: 'two hundred nodes deep',
	body: { id: 'deep', name: 'Deep', numbers: ['400'], patterns: [], flow: chainOf(200) },
	means: {},
};

describe.each(titled([...CORPUS, DEEP]))('a callflow: %s', (_, { body }) => {
	let pbx: ScriptedPbx;
	let account: StoredCredential;
	let trigger: TestTrigger | undefined;
	/** As the PBX keeps it: a write replaces everything but what is the PBX's own. */
	let stored: IDataObject;
	const writes = () => pbx.requests.filter(({ method }) => ['POST', 'DELETE'].includes(method));
	const created = () =>
		pbx.requests.filter(({ method, path }) => method === 'PUT' && placeIn(path) !== undefined);

	beforeEach(async () => {
		stored = structuredClone(body);
		pbx = await startScriptedPbx(({ method, path, body: sent }) => {
			const place = placeIn(path);
			if (place === undefined) return undefined;
			const { data } = (sent ?? {}) as { data?: IDataObject };
			if (method === 'PUT') return { status: 201, body: { data: { ...data, id: 'new' } } };
			if (place === 'callflows') return { body: { data: [stored], status: 'success' } };
			if (place !== `callflows/${body.id}`) return { status: 404, body: {} };
			if (method === 'POST') {
				const own = Object.fromEntries(Object.entries(body).filter(isOfPbx));
				stored = { ...own, ...structuredClone(data) };
			}
			return { body: { data: stored, status: 'success', revision: '2-b' } };
		});
		account = await credentialOf(pbx);
		trigger = undefined;
	});
	afterEach(async () => {
		await trigger?.close();
		await pbx.close();
	});

	it('is given whole', async () => {
		const { items, error } = await operate(account, 'callflow:get', { callflowId: body.id });
		expect(error).toBeUndefined();
		expect(items).toEqual([body]);
		expect((await operate(account, 'callflow:getMany', { returnAll: true })).items).toEqual([body]);
	});

	it('keeps every other field, byte by byte, when one is changed', async () => {
		const { error } = await operate(account, 'callflow:update', {
			callflowId: body.id,
			updateFields: { name: 'Renamed' },
		});
		expect(error).toBeUndefined();
		expect(writes()).toHaveLength(1);
		const { data } = writes()[0]?.body as { data: IDataObject };
		expect(texts(data)).toEqual({ ...texts(body), name: '"Renamed"' });
	});

	it('can be written by hand: nothing of the flow is refused or lost', async () => {
		const { error } = await operate(account, 'callflow:create', {
			numbers: '555',
			flowSource: 'json',
			flow: JSON.stringify(body.flow),
		});
		expect(error).toBeUndefined();
		const { data } = created()[0]?.body as { data: IDataObject };
		expect(data.flow).toMatchObject(body.flow);
	});

	it('is as it was after a routing workflow was connected and deactivated', async () => {
		trigger = await startRoutingTrigger(account, body.id);
		await trigger.activate();
		const { flow, ...others } = stored as Callflow;
		const { flow: oldFlow, ...before } = body;
		expect(flow).toMatchObject({ module: 'pivot', data: { method: 'GET' } });
		expect(JSON.stringify((flow.children as IDataObject)._)).toBe(JSON.stringify(oldFlow));
		expect(texts(others)).toEqual(texts(before));

		await trigger.activate('init');
		await trigger.deactivate();
		expect(texts(stored)).toEqual(texts(body));
		expect(trigger.staticData).toEqual({});
	});
});
