import type { IDataObject } from 'n8n-workflow';
import { startTrigger } from '../../support/core';
import type { Delivery, TestTrigger } from '../../support/core';
import { formOf, only, readCorpus, titled } from '../../support/corpus';
import type { Sent } from '../../support/corpus';

const REQUESTS = readCorpus('pivot-requests');

const WAYS: Record<string, (body: IDataObject) => Delivery> = {
	'GET with a query': (body) => ({ method: 'GET', query: Object.fromEntries(formOf(body)) }),
	'POST with a form': (body) => ({
		webhook: 'setup',
		body: formOf(body).toString(),
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
	}),
	'POST with JSON': (body) => ({ webhook: 'setup', body }),
};

describe('routing requests of the platform', () => {
	let trigger: TestTrigger;
	beforeEach(async () => {
		trigger = await startTrigger({
			type: 'virtualPbxRoutingTrigger',
			parameters: { fallback: { step: [{ type: 'extension', extension: '100' }] } },
		});
	});
	afterEach(async () => await trigger.close());

	it.each(
		titled(REQUESTS).flatMap(([what, entry]) =>
			Object.entries(WAYS).map(([way, make]) => [what, way, entry, make] as const),
		),
	)('say who calls whom: %s, by %s', async (_what, _way, { body, means }, make) => {
		expect(await trigger.deliver(make(body))).toMatchObject({ status: 200 });
		expect(trigger.failures).toEqual([]);
		expect(trigger.executions.flat().map((item) => only(item, means))).toEqual([means]);
	});

	it.each(titled(readCorpus<Sent[]>('kazoo/pivot-requests')))(
		'say so byte for byte as a real Kazoo sent them: %s',
		async (_, { method, url, body, headers, means }) => {
			const webhook = method === 'GET' ? 'default' : 'setup';
			const query = url.replace(/^.*\?/, '');
			const sent = method === 'GET' ? { method } : { method, body, headers };
			expect(await trigger.deliver({ ...sent, webhook, query })).toMatchObject({ status: 200 });
			expect(trigger.failures).toEqual([]);
			expect(trigger.executions.flat().map((item) => only(item, means))).toEqual([means]);
		},
	);
});
