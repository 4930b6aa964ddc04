import type { IDataObject } from 'n8n-workflow';
import { storeCredential } from '../../support/core';
import { operate } from '../../support/operate';
import { usePbx } from '../../support/sandbox';

const NUMBER = '74957770001';
const PIVOT = { flowSource: 'pivot', serviceUrl: 'https://n8n.example.com/webhook/route' };

const pbx = usePbx({ settings: { profile: 'kazoo' } });
const stored = async (id: unknown) => await pbx.ask('GET', `callflows/${String(id)}`);
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
					method: 'get',
					voice_url: `https://n8n.example.com/webhook/route?callflow_id=${String(id)}`,
				},
			},
		});
	});

	it('get no address that Kazoo does not take, and say so', async () => {
		const ownPlatform = await storeCredential({ ...pbx.credential.read(), dialect: 'contract' });
		const refused = await operate(ownPlatform, 'callflow:upsert', { number: NUMBER, ...PIVOT });
		expect(refused.error?.message).toContain('invalid client URL');
		expect(refused.error?.description).toContain("doesn't know {dflow}");
		expect(refused.error?.description).toContain("set 'API' to 'Kazoo (/v2)'");

		const serviceUrl = 'http://localhost:5678/webhook/route';
		const local = await pbx.run('callflow:upsert', { number: NUMBER, ...PIVOT, serviceUrl });
		expect(local.error?.description).toContain("Kazoo doesn't call 127.0.0.1, localhost");

		const additionalFields = { serviceTimeout: 6 };
		const long = await pbx.run('callflow:upsert', { number: NUMBER, ...PIVOT, additionalFields });
		expect(long.error?.message ?? '').toContain('at most 5 seconds');
		const { callflows } = pbx.sandbox.pbx.firstAccount;
		expect(callflows.match(NUMBER)).toBeUndefined();
	});
});
