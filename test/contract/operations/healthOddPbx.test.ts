import type { IDataObject } from 'n8n-workflow';

import { MARK_NAME } from '../../../nodes/VirtualPbx/events/secret';
import { startPbx } from '../../support/sandbox';
import type { PbxUnderTest } from '../../support/sandbox';

const OWN = 'https://n8n.example.com';
const URI = `${OWN}/webhook/1/webhook`;
const MARKED = { custom_data: { [MARK_NAME]: 'a'.repeat(64) } };
const FAILED = { result: 'failure', response_code: 503, timestamp: 63_962_000_000 };

let pbx: PbxUnderTest;
beforeEach(async () => void (pbx = await startPbx({ settings: { retry_interval_seconds: 0 } })));
afterEach(async () => await pbx.sandbox.close());

const add = async (fields: IDataObject = MARKED) => {
	const webhook = { name: 'n8n: Calls (Call Ended)', uri: URI, hook: 'channel_destroy' };
	const sent = { ...webhook, http_verb: 'post', retries: 1, ...fields };
	return String((await pbx.ask('PUT', 'webhooks', sent)).data.id);
};
const run = async () =>
	await pbx.run('webhook:checkHealth', {}, { instanceUrl: `${OWN}/` } as never);
const check = async () => {
	const { items, error } = await run();
	if (error) throw error;
	return items;
};
const answer = (path: string, body: unknown, status = 200) =>
	pbx.sandbox.pbx.faults.add({ kind: 'status', method: 'GET', path, status, body });
/** Has the PBX show webhooks in another way than it keeps them, in the list and one by one. */
const show = (change: (webhook: IDataObject) => IDataObject, isListed = true) => {
	const all = pbx.sandbox.pbx.firstAccount.webhooks.all() as unknown as IDataObject[];
	if (isListed) answer('*/webhooks', { data: all.map(change), status: 'success' });
	for (const one of all)
		answer(`*/webhooks/${String(one.id)}`, { data: change(one), status: 'success' });
};

describe('Check Health where a webhook is odd', () => {
	it.each<[string, number, unknown, RegExp]>([
		['400', 400, { message: 'bad identifier' }, /bad identifier \(status 400\)/],
		['403', 403, { message: 'no rights' }, /no rights \(status 403\)/],
		['500', 500, { message: 'corrupt' }, /corrupt \(status 500\)/],
		['500 without words', 500, {}, /answered with status 500$/],
		['an empty body', 200, null, /without a list/],
		['a web page', 200, '<html>Login</html>', /no JSON/],
		['something else', 200, { data: { a: 1 } }, /without a list/],
	])('says that its attempts could not be read: %s', async (_, status, body, words) => {
		const id = await add();
		const other = await add();
		answer(`*/${id}/attempts`, body, status);
		answer(`*/${other}/attempts`, { data: [FAILED] });
		const items = await check();
		expect(items).toHaveLength(2);
		expect(items).toContainEqual(
			expect.objectContaining({ id, state: 'ok', reason: expect.stringMatching(words) }),
		);
		expect(items.find((item) => item.id === id)?.reason).toMatch(/^attempts could not be read: /);
		expect(items).toContainEqual(expect.objectContaining({ id: other, state: 'failing' }));
	});

	it.each<[string, unknown]>([
		['{data: {}}', { data: {}, status: 'success' }],
		['{data: null}', { data: null, status: 'success' }],
	])('takes %s for no attempts', async (_, body) => {
		await add();
		answer('*/attempts', body);
		expect(await check()).toMatchObject([{ state: 'ok', reason: '', attempts: 0 }]);
	});

	it.each(['webhook_id', '_id'])('knows an ID by the name %s', async (name) => {
		const id = await add();
		answer(`*/${id}/attempts`, { data: [FAILED] });
		show(({ id: own, ...rest }) => ({ [name]: own, ...rest }));
		expect(await check()).toMatchObject([{ id, state: 'failing' }]);
	});

	it('says so where the PBX shows no ID at all', async () => {
		await add();
		show(({ id: _, ...rest }) => rest);
		expect(await check()).toMatchObject([
			{ id: '', event: 'Call Ended', reason: expect.stringMatching(/does not show the ID/) },
		]);
	});

	it('fails where the details cannot be read: nobody knows what is registered', async () => {
		pbx.sandbox.pbx.change({ webhook_list: 'brief' });
		const id = await add({ ...MARKED, name: 'Calls' });
		answer(`*/webhooks/${id}`, { message: 'corrupt' }, 500);
		expect((await run()).error?.message).toMatch(/could not be read: the PBX failed/);
	});
});

describe('Check Health where the PBX does not show custom data', () => {
	it.each<[string, IDataObject, number]>([
		['the name and address that the trigger gives', {}, 1],
		['the same behind a prefix', { uri: 'https://hooks.example.com/n8n/webhook/1/webhook/' }, 1],
		['another name', { name: 'Calls (Call Ended)' }, 0],
		['another path', { uri: `${OWN}/webhook/crm` }, 0],
		['no address', { uri: null }, 0],
	])('judges a webhook by %s', async (_, fields, count) => {
		await add();
		show(({ custom_data: _data, ...rest }) => ({ ...rest, ...fields }));
		expect(await check()).toHaveLength(count);
		const { items } = await pbx.run('webhook:deleteLeftovers', { address: OWN });
		expect(items).toEqual([]);
	});
});
