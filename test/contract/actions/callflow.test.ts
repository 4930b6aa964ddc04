import type { IDataObject } from 'n8n-workflow';

import { usePbx } from '../../support/sandbox';

const pbx = usePbx();
const flow = { module: 'user', data: { id: 'u1' }, children: {} };
const asJson = { flowSource: 'json', flow: JSON.stringify(flow) };
const pivot = { flowSource: 'pivot', serviceUrl: 'https://n8n.example.com/webhook/route' };

const stored = async (id: unknown) => await pbx.ask('GET', `callflows/${String(id)}`);
const byName = async (name: string) => {
	const all = (await pbx.ask('GET', 'callflows')) as unknown as IDataObject[];
	return all.find((callflow) => callflow.name === name) ?? {};
};
const create = async (fields: IDataObject) =>
	await pbx.ask('PUT', 'callflows', { flow, name: 'A', numbers: ['555'], ...fields });

describe('Create (§4.2)', () => {
	it('sends every field and gives the new callflow', async () => {
		const [item] = await pbx.items('callflow:create', {
			name: 'Sales',
			numbers: '12125550134, 1001',
			...asJson,
			additionalFields: { patterns: '^2\\d{2,3}$\n^3' },
		});

		expect(item).toMatchObject({ id: expect.any(String), name: 'Sales', flow });
		expect(await stored(item?.id)).toMatchObject({
			name: 'Sales',
			numbers: ['12125550134', '1001'],
			patterns: ['^2\\d{2,3}$', '^3'],
			fakenumber: false,
			flow,
		});
	});

	it('completes a pivot flow with the ID that the PBX gave (§2.2)', async () => {
		const [item] = await pbx.items('callflow:create', { name: 'P', numbers: ['555'], ...pivot });

		expect((await stored(item?.id)).flow).toEqual({
			module: 'pivot',
			data: {
				method: 'GET',
				req_timeout: '5',
				req_format: 'pbx',
				voice_url: `{dflow}&callflow_id=${String(item?.id)}&webserver=n8n.example.com/webhook/route`,
			},
			children: {},
		});
	});
});

describe('Create or Update (§4.2 note 3)', () => {
	const upsert = { number: '555', name: 'By number', ...asJson };

	it.each(['contract', 'kazoo'] as const)(
		'creates once and then updates, with the filter of the profile %s',
		async (profile) => {
			pbx.sandbox.pbx.change({ profile });
			const parameters = { ...upsert, additionalFields: { numbers: '556' } };
			const [created] = await pbx.items('callflow:upsert', parameters);
			const [updated] = await pbx.items('callflow:upsert', { ...upsert, name: 'Renamed' });

			expect([created?.isNew, updated?.isNew]).toEqual([true, false]);
			expect(updated).toMatchObject({ id: created?.id, name: 'Renamed', numbers: ['555', '556'] });
		},
	);

	it('keeps children and flags of a pivot node that is there already', async () => {
		const web = await byName('Web routing');
		await pbx.items('callflow:upsert', {
			number: '12125550102',
			...pivot,
			additionalFields: { serviceMethod: 'post' },
		});

		const { flow: now } = (await stored(web.id)) as { flow: IDataObject };
		expect(now.children).toMatchObject({ _: { module: 'user' } });
		expect(now.data).toMatchObject({ method: 'POST' });
	});
});

describe('Delete, Get and Get Many (§4.2)', () => {
	it('deletes and says so', async () => {
		const { id } = await create({});
		const callflowId = { __rl: true, mode: 'id', value: id as string };

		expect(await pbx.items('callflow:delete', { callflowId })).toEqual([{ id, deleted: true }]);
		expect((await pbx.run('callflow:get', { callflowId })).error?.message).toContain(
			`Callflow ${String(id)} wasn't found`,
		);
	});

	it.each(['contract', 'kazoo'] as const)(
		'filters by number, with the filter of the profile %s',
		async (profile) => {
			pbx.sandbox.pbx.change({ profile });
			await create({ numbers: ['555', '5551'] });

			const found = await pbx.items('callflow:getMany', {
				returnAll: true,
				filters: { number: 555 },
			});
			expect(found.map(({ numbers }) => numbers)).toEqual([['555', '5551']]);
		},
	);
});
