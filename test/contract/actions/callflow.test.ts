import { usePbx } from '../../support/sandbox';

const pbx = usePbx();
const flow = { module: 'user', data: { id: 'u1' }, children: {} };
const asJson = { flowSource: 'json', flow: JSON.stringify(flow) };
const pivot = { flowSource: 'pivot', serviceUrl: 'https://n8n.example.com/webhook/route' };

const stored = async (id: unknown) => await pbx.ask('GET', `callflows/${String(id)}`);
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
		const voice_url = `{dflow}&callflow_id=${String(item?.id)}&webserver=n8n.example.com/webhook/route`;
		const data = { method: 'GET', req_timeout: '5', req_format: 'pbx', voice_url };
		expect((await stored(item?.id)).flow).toEqual({ module: 'pivot', data, children: {} });
	});
});

describe('Create or Update (§4.2 note 3)', () => {
	it.each(['contract', 'kazoo'] as const)(
		'creates once and then updates, by the filter by number of the profile %s, as Get Many does',
		async (profile) => {
			pbx.sandbox.pbx.change({ profile });
			const upsert = { number: '555', name: 'By number', ...asJson };
			const parameters = { ...upsert, additionalFields: { numbers: '556' } };
			const [created] = await pbx.items('callflow:upsert', parameters);
			const [updated] = await pbx.items('callflow:upsert', { ...upsert, name: 'Renamed' });

			expect([created?.isNew, updated?.isNew]).toEqual([true, false]);
			const expected = { id: created?.id, name: 'Renamed', numbers: ['555', '556'] };
			expect(updated).toMatchObject(expected);
			const filters = { number: 555 };
			const found = await pbx.items('callflow:getMany', { returnAll: true, filters });
			expect(found).toMatchObject([{ id: created?.id, numbers: ['555', '556'] }]);
		},
	);

	it('keeps children and flags of a pivot node that is there already', async () => {
		const additionalFields = { serviceMethod: 'post' };
		const parameters = { number: '12125550102', ...pivot, additionalFields };
		const [web] = await pbx.items('callflow:upsert', parameters);
		expect(web).toMatchObject({ name: 'Web routing', isNew: false });
		expect((await stored(web?.id)).flow).toMatchObject({
			children: { _: { module: 'user' } },
			data: { method: 'POST' },
		});
	});
});

it('Delete deletes and says so (§4.2)', async () => {
	const { id } = await pbx.ask('PUT', 'callflows', { flow, name: 'A', numbers: ['555'] });
	const callflowId = { __rl: true, mode: 'id', value: id as string };
	expect(await pbx.items('callflow:delete', { callflowId })).toEqual([{ id, deleted: true }]);
	const { error } = await pbx.run('callflow:get', { callflowId });
	expect(error?.message).toContain(`Callflow ${String(id)} wasn't found`);
});
