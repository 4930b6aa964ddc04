import type { INodeParameters } from 'n8n-workflow';

import { searchList } from '../../support/core';
import { usePbx } from '../../support/sandbox';

const pbx = usePbx();
const search = async (
	method: string,
	more: { filter?: string; paginationToken?: string; parameters?: INodeParameters } = {},
) => await searchList({ type: 'virtualPbx', credential: pbx.credential, method, ...more });
const hook = async (name: string, uri: string) => {
	const rest = { http_verb: 'post', hook: 'channel_destroy', retries: 1 };
	return await pbx.ask('PUT', 'webhooks', { name, uri, ...rest });
};

describe('searchCallflows', () => {
	it('names callflows with their numbers and patterns, in order', async () => {
		const { results, paginationToken } = await search('searchCallflows');
		const names = results.map(({ name }) => name);

		expect(names).toEqual(
			expect.arrayContaining(['Main number (12125550100)', 'Extensions (^\\d{3}$)']),
		);
		expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)));
		expect(paginationToken).toBeUndefined();
	});

	it('finds by name, in whatever case', async () => {
		const { results } = await search('searchCallflows', { filter: 'MAIN' });
		expect(results).toMatchObject([{ name: 'Main number (12125550100)' }]);
	});

	it('lists what several pages hold', async () => {
		for (let index = 0; index < 60; index++) await hook(`Hook ${index}`, 'http://127.0.0.1:1/');
		pbx.sandbox.pbx.settings.page_size = 25;

		const { results } = await search('searchWebhooks');
		expect(new Set(results.map(({ value }) => value)).size).toBe(60);
	});

	it('looks into the account that the node works in', async () => {
		const inAccount = async (accountId: string) =>
			await search('searchCallflows', { parameters: { options: { accountId } } });
		await expect(inAccount('someone-else')).rejects.toThrow();
		expect((await inAccount('={{ $json.account }}')).results).not.toEqual([]);
	});
});

it('searchWebhooks names webhooks with event and address, without what a query may hold', async () => {
	await hook('CRM', 'https://crm.example.com/calls?token=secret');
	const { results } = await search('searchWebhooks', { filter: 'destroy' });
	const name = 'CRM (channel_destroy → crm.example.com/calls)';
	expect(results).toMatchObject([{ name }]);
});
