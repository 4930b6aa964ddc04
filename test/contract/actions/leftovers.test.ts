import type { IDataObject } from 'n8n-workflow';

import { TAG_NAME } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { usePbx } from '../../support/sandbox';

const OLD = 'https://old-n8n.example.com';
const TAG = ['a'.repeat(16), 'c'.repeat(64)].join('.');
const MARK = { [TAG_NAME]: TAG };
const URI = `${OLD}/webhook/1/webhook`;

const pbx = usePbx();
const create = async (uri: string, custom_data?: IDataObject, name = 'n8n: W (Call Ended)') => {
	const webhook = { name, uri, http_verb: 'post', hook: 'channel_destroy', retries: 1 };
	const body = custom_data ? { ...webhook, custom_data } : webhook;
	return String((await pbx.ask('PUT', 'webhooks', body)).id);
};
const remove = async (address = OLD, dryRun = false) =>
	await pbx.items('webhook:deleteLeftovers', { address, dryRun });
const left = () => pbx.sandbox.pbx.firstAccount.webhooks.all().map(({ id }) => id);

describe('Delete Leftovers (§4.4)', () => {
	it('lists what it would delete, and deletes it only when told to', async () => {
		const id = await create(URI, { ...MARK, office: 'Riga' });
		const expected = { id, name: 'n8n: W (Call Ended)', hook: 'channel_destroy', uri: URI };
		const dry = await remove(`${OLD}/`, true);
		expect(dry).toEqual([{ ...expected, deleted: false }]);
		expect(left()).toEqual([id]);

		const wet = await remove();
		expect(wet).toEqual([{ ...expected, deleted: true }]);
		expect(left()).toEqual([]);
	});

	it.each([
		[`${OLD}/webhook/1/webhook`, true],
		[`${OLD}:443/webhook/2/webhook`, true],
		['https://OLD-n8n.example.com/webhook-test/1/webhook', true],
		[`${OLD}.evil.example/webhook/1/webhook`, false],
		['https://old-n8n.example.community/webhook/1/webhook', false],
		['http://old-n8n.example.com/webhook/1/webhook', false],
		[`${OLD}:8443/webhook/1/webhook`, false],
		['https://x.example.com/https://old-n8n.example.com/webhook', false],
		['https://old-n8n.example.com@x.example.com/webhook', false],
	])('takes %s under the address: %s', async (uri, isTaken) => {
		const id = await create(uri, MARK);
		await remove();
		expect(left()).toEqual(isTaken ? [] : [id]);
	});

	it('takes a path on the borders of its segments', async () => {
		const other = await create(`${OLD}/n8n2/webhook/1/webhook`, MARK);
		const above = await create(`${OLD}/webhook/1/webhook`, MARK);
		await create(`${OLD}/n8n/webhook/1/webhook`, MARK);
		await remove(`${OLD}/n8n`);
		expect(left().sort()).toEqual([other, above].sort());
	});

	it('knows them by their mark, not by their name', async () => {
		const named = await create(URI, { office: 'Riga' });
		const bare = await create(URI);
		await create(URI, MARK, 'Renamed');
		await remove();
		expect(left().sort()).toEqual([named, bare].sort());
	});

	it.each<[string, IDataObject]>([
		['a word', { [TAG_NAME]: 'hello' }],
		['another alphabet', { [TAG_NAME]: TAG.toUpperCase() }],
		['a field with a similar name', { my_n8n_webhook_secret: 'f'.repeat(64) }],
		['our form under another name', { signature: TAG }],
	])('leaves a stranger’s webhook with %s, whatever its name is', async (_, data) => {
		const id = await create(URI, MARK);
		// Not by the API: some platforms take only texts as custom data.
		const { webhooks } = pbx.sandbox.pbx.firstAccount;
		for (const webhook of webhooks.all()) webhooks.put({ ...webhook, custom_data: data });
		const items = await remove();
		expect([items, left()]).toEqual([[], [id]]);
	});

	it('reads what a list leaves out, in pages', async () => {
		pbx.sandbox.pbx.change({ profile: 'kazoo', local_addresses: 'accept', page_size: 3 });
		for (let count = 0; count < 7; count++) await create(URI, MARK);
		const other = await create('https://crm.example.com', MARK);
		const items = await remove();
		expect(items).toHaveLength(7);
		expect(left()).toEqual([other]);
	});

	it('goes on after one that cannot be deleted, and names it', async () => {
		const ids = [await create(URI, MARK), await create(URI, MARK), await create(URI, MARK)];
		const path = `*/webhooks/${String(ids[1])}`;
		pbx.sandbox.pbx.faults.add({ kind: 'status', method: 'DELETE', path, status: 403 });
		const { error } = await pbx.run('webhook:deleteLeftovers', { address: OLD, dryRun: false });
		expect(error?.message).toBe("1 of 3 webhooks couldn't be deleted");
		expect(error).toMatchObject({ description: expect.stringContaining(String(ids[1])) });
		expect(left()).toEqual([ids[1]]);
	});
});
