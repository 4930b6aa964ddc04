import type { INodeParameters } from 'n8n-workflow';

import { searchList } from '../../support/core';
import { usePbx } from '../../support/sandbox';

const pbx = usePbx();
const search = async (
	method: string,
	more: { filter?: string; paginationToken?: string; parameters?: INodeParameters } = {},
) => await searchList({ type: 'virtualPbx', credential: pbx.credential, method, ...more });
const hook = async (name: string, uri: string) =>
	await pbx.ask('PUT', 'webhooks', {
		name,
		uri,
		http_verb: 'post',
		hook: 'channel_destroy',
		retries: 1,
	});

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
		const name = 'Main number (12125550100)';
		expect(results).toEqual([{ name, value: expect.stringMatching(/^\w+$/) }]);
	});

	it('lists what several pages hold', async () => {
		for (let index = 0; index < 60; index++) await hook(`Hook ${index}`, 'http://127.0.0.1:1/');
		pbx.sandbox.pbx.settings.page_size = 25;

		const { results } = await search('searchWebhooks');
		expect(new Set(results.map(({ value }) => value)).size).toBe(60);
	});

	it('looks into the account that the node works in', async () => {
		const options = { accountId: 'someone-else' };

		await expect(search('searchCallflows', { parameters: { options } })).rejects.toThrow();
		const expression = { accountId: '={{ $json.account }}' };
		const { results } = await search('searchCallflows', { parameters: { options: expression } });
		expect(results.length).toBeGreaterThan(0);
	});
});

describe('searchWebhooks', () => {
	it('names webhooks with event and address, without what a query may hold', async () => {
		await hook('CRM', 'https://crm.example.com/calls?token=secret');
		await hook('', 'x').catch(() => undefined);
		const { results } = await search('searchWebhooks', { filter: 'destroy' });

		expect(results.map(({ name }) => name)).toEqual([
			'CRM (channel_destroy → crm.example.com/calls)',
		]);
	});
});
