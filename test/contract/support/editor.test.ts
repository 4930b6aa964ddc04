import type { INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { makePoller, searchList, storeCredential, testCredential } from '../../support/core';

const toy: INodeType = {
	description: {
		displayName: 'Toy',
		name: 'toy',
		group: ['trigger'],
		version: 1,
		description: 'Counts',
		defaults: { name: 'Toy' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		polling: true,
		properties: [{ displayName: 'Prefix', name: 'prefix', type: 'string', default: 'no' }],
	},
	async poll() {
		const data = this.getWorkflowStaticData('node');
		data.count = Number(data.count ?? 0) + 1;
		return data.count === 2 ? null : [[{ json: { count: data.count } }]];
	},
	methods: {
		listSearch: {
			async searchNames(filter) {
				const name = `${this.getCurrentNodeParameter('prefix') as string} ${filter}`;
				return { results: [{ name, value: name }] };
			},
		},
	},
};
const types = { 'test.toy': toy };

describe('what the editor and the scheduler call', () => {
	it('keeps static data between polls, and apart from a manual poll', async () => {
		const poller = await makePoller({ type: 'test.toy', types });

		expect(await poller.poll()).toEqual([{ count: 1 }]);
		expect(await poller.poll('manual')).toEqual([{ count: 1 }]);
		expect(await poller.poll()).toBeNull();
		expect(poller.staticData).toEqual({ count: 2 });
	});

	it('searches a list with the parameters that are set', async () => {
		const parameters = { prefix: 'my' };
		const found = await searchList({
			type: 'test.toy',
			types,
			parameters,
			method: 'searchNames',
			filter: 'cat',
		});

		expect(found.results).toEqual([{ name: 'my cat', value: 'my cat' }]);
	});

	it('tells why a credential fails its test', async () => {
		const credential = await storeCredential(
			{},
			{
				name: 'closedApi',
				displayName: 'Closed API',
				properties: [],
				authenticate: async (_, options) => options,
				test: { request: { baseURL: 'http://127.0.0.1:1', url: '/' } },
			},
		);

		expect(await testCredential(credential)).toEqual({ status: 'Error', message: 'ECONNREFUSED' });
	});
});
