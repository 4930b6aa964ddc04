import type { IDataObject } from 'n8n-workflow';
import { startPbx } from '../../support/sandbox';
import type { PbxUnderTest } from '../../support/sandbox';

const NUMBER = '74957770001';
const PIVOT = { flowSource: 'pivot', serviceUrl: 'https://n8n.example.com/webhook/route' };

let pbx: PbxUnderTest;
beforeEach(async () => void (pbx = await startPbx({ settings: { profile: 'kazoo' } })));
afterEach(async () => await pbx.sandbox.close());

const stored = async (id: unknown) => (await pbx.ask('GET', `callflows/${String(id)}`)).data;
const upsert = async (fields: IDataObject) => {
	const parameters = { number: NUMBER, ...PIVOT, ...fields };
	return (await pbx.items('callflow:upsert', parameters as never))[0] ?? {};
};

describe('callflows on a stock Kazoo', () => {
	it('are created inside the account, with a response format that it knows', async () => {
		const { id } = await upsert({ name: 'Route' });
		expect(await stored(id)).toMatchObject({
			name: 'Route',
			numbers: [`+${NUMBER}`],
			flow: {
				data: {
					req_format: 'kazoo',
					voice_url: `{dflow}&callflow_id=${String(id)}&webserver=n8n.example.com/webhook/route`,
				},
			},
		});
	});

	it('are found by a number that is stored with +, and not made a second time', async () => {
		const { id } = await upsert({ name: 'Route' });
		for (const number of [NUMBER, `+${NUMBER}`]) {
			expect(await upsert({ number, name: 'Again' })).toMatchObject({ id, isNew: false });
			const found = await pbx.items('callflow:getMany', { returnAll: true, filters: { number } });
			expect(found.map((callflow) => callflow.id)).toEqual([id]);
		}
	});

	it('are written back without what was only computed', async () => {
		const { id } = await upsert({ name: 'Route' });
		const updateFields = { name: 'Renamed' };
		await pbx.items('callflow:update', { callflowId: String(id), updateFields });
		const kept = pbx.sandbox.pbx.firstAccount.callflows.get(String(id));
		expect(kept).toMatchObject({ name: 'Renamed', numbers: [`+${NUMBER}`] });
		expect(kept).not.toHaveProperty('metadata');
	});
});
