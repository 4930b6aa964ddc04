import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Delivery, TestTrigger } from '../../support/core';
import { startTrigger } from '../../support/core';
import type { Entry, Sent } from '../../support/corpus';
import {
	CORPUS_TOKEN,
	only,
	placeIn,
	recorded,
	readCorpus,
	titled,
	texts,
	formOf,
} from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import type { ScriptedAnswer } from '../../support/scriptedPbx';
import { startScriptedPbx, useScriptedPbx } from '../../support/scriptedPbx';

const WHOLE = { after: '2026-11-24', before: '2026-11-25', returnAll: true };

/** Runs an operation on a PBX that answers everything but logins by `answer`. */
async function run(answer: ScriptedAnswer, name: string, parameters: INodeParameters = {}) {
	const pbx = await startScriptedPbx(({ path }) =>
		placeIn(path) === undefined ? undefined : answer,
	);
	const { items, error } = await operate(await credentialOf(pbx), name, parameters);
	await pbx.close();
	if (error) throw error;
	expect(JSON.stringify(items)).not.toContain(CORPUS_TOKEN);
	return items;
}

const onlyPage = (what: string): ScriptedAnswer => {
	const { next_start_key: _, ...body } = recorded(what).body;
	return { body };
};

describe('answers of a real Kazoo are read', () => {
	it.each<[string, string, INodeParameters]>([
		['callflow list', 'callflow:getMany', { returnAll: true }],
		['callflow filter, as it was sent', 'callflow:getMany', { returnAll: true }],
		['callflow filter, with plus', 'callflow:getMany', { returnAll: true }],
		['callflow get', 'callflow:get', { callflowId: '27d1ddf4a15a29471af8362f0fcc8dca' }],
		['webhook list', 'webhook:getMany', { returnAll: true }],
		['webhook get', 'webhook:get', { webhookId: '0177c61d1637e4aaa50698f28717457a' }],
		['attempts of one webhook', 'webhook:getAttempts', { returnAll: true }],
		['cdr list', 'cdr:getMany', { ...WHOLE, simplify: false }],
		['cdr list, filter of the table', 'cdr:getMany', { ...WHOLE, simplify: false }],
		['cdr list, filter of a field that is not stored', 'cdr:getMany', WHOLE],
	])('whole: %s', async (what, name, parameters) => {
		const { data } = recorded(what).body as { data: IDataObject | IDataObject[] };
		expect(await run(onlyPage(what), name, parameters)).toEqual([data].flat());
	});

	it('as attempts, but for the names and values of their body', async () => {
		const [attempt] = recorded('attempts of all').body.data as IDataObject[];
		const { req_body: _, ...rest } = attempt ?? {};
		const parameters = { returnAll: true };
		const found = await run(onlyPage('attempts of all'), 'webhook:getAttempts', parameters);
		expect(found).toMatchObject([rest]);
	});

	it.each<[string, string, INodeParameters]>([
		[
			'callflow create',
			'callflow:create',
			{ numbers: '1', flowSource: 'json', flow: '{"module":"a"}' },
		],
		['webhook create', 'webhook:create', { name: 'W', uri: 'https://n8n.acme.example/a' }],
	])('as what was made: %s', async (what, name, parameters) => {
		const { body, status } = recorded(what);
		expect(await run({ body, status }, name, parameters)).toEqual([body.data]);
	});

	it('as pages with a cursor, a record at the seam of both once', async () => {
		const { body: first } = recorded('cdr list, page of two');
		const { body: last } = onlyPage('cdr list, filter of the table') as { body: IDataObject };
		const pbx = await startScriptedPbx(({ path, query }) => {
			if (placeIn(path) === undefined) return undefined;
			return { body: query.get('start_key') === first.next_start_key ? last : first };
		});
		const parameters = { ...WHOLE, simplify: false };
		const { items } = await operate(await credentialOf(pbx), 'cdr:getMany', parameters);
		await pbx.close();
		const [out, inbound] = first.data as IDataObject[];
		const [again, next] = last.data as IDataObject[];
		expect(again).toEqual(inbound);
		expect(items).toEqual([out, inbound, next]);
	});

	it('as calls, whose times and parties are the record’s', async () => {
		const means = {
			...{ callType: 'incoming', outcome: 'answered', missed: false, talkSeconds: 19995 },
			...{ customerNumber: '79990000001', recordingUrl: null, callId: '0e75de4e-in@10.0.0.5' },
		};
		expect(await run(onlyPage('cdr list'), 'cdr:getMany', WHOLE)).toMatchObject([means, means]);
	});
});

interface Pages extends Omit<Entry, 'body'> {
	pages: Array<IDataObject & { data: IDataObject[] }>;
	/** How many rows there are, and with which cursors the further pages are asked for. */
	means: { rows: number; cursors: string[] };
}

const PAGES = readCorpus<Pages[]>('pages');

describe('lists of the platform', () => {
	let answer: (place: string, cursor: string | null) => ScriptedAnswer;
	const pbx = useScriptedPbx(({ path, query }) => {
		const place = placeIn(path);
		return place === undefined ? undefined : answer(place, query.get('start_key'));
	});

	const expectWhole = async (name: string, { pages, means }: Pages) => {
		answer = (_place, cursor) => ({
			body: pages[cursor === null ? 0 : means.cursors.indexOf(cursor) + 1] ?? { data: [] },
		});
		const parameters = { returnAll: true, simplify: false };
		const { items, error } = await operate(await credentialOf(pbx), name, parameters);
		expect(error).toBeUndefined();
		expect(items).toEqual(pages.flatMap(({ data }) => data));
		expect(items).toHaveLength(means.rows);
		const asked = pbx.requests.filter(({ path }) => placeIn(path) !== undefined);
		expect(asked.map(({ query }) => query.get('start_key'))).toEqual([null, ...means.cursors]);
	};

	it.each(titled(PAGES))('are read to the end: %s', async (_, entry) => {
		await expectWhole('cdr:getMany', entry);
	});

	it.each(['callflow:getMany', 'webhook:getMany', 'webhook:getAttempts'])(
		'are read to the end by %s',
		async (name) => await expectWhole(name, PAGES[0] as Pages),
	);
});

/** As the list shows it, which is less. */
interface Listed extends Entry<IDataObject & { id: string }> {
	listed: IDataObject;
}
const WEBHOOKS = readCorpus<Listed[]>('webhooks');

describe('webhooks of the platform', () => {
	let stored: Map<string, IDataObject>;
	const pbx = useScriptedPbx(({ method, path, body }) => {
		const place = placeIn(path);
		const id = place?.split('/')[1] ?? '';
		if (place === undefined) return undefined;
		const { data } = (body ?? {}) as { data?: IDataObject };
		if (id === '')
			return { body: { data: WEBHOOKS.map(({ listed }) => listed), status: 'success' } };
		if (method === 'POST') stored.set(id, { ...data, id });
		return { body: { data: stored.get(id), status: 'success' } };
	});
	beforeEach(() => {
		stored = new Map(WEBHOOKS.map(({ body }) => [body.id, structuredClone(body)]));
	});

	it('are listed as the PBX lists them', async () => {
		const account = await credentialOf(pbx);
		const { items } = await operate(account, 'webhook:getMany', { returnAll: true });
		expect(items).toEqual(WEBHOOKS.map(({ listed }) => listed));
	});

	it.each(titled(WEBHOOKS))(
		'keep every other field, byte by byte, when one is changed: %s',
		async (_, { body }) => {
			const parameters = { webhookId: body.id, updateFields: { name: 'Renamed' } };
			const { error } = await operate(await credentialOf(pbx), 'webhook:update', parameters);
			expect(error).toBeUndefined();
			const writes = pbx.requests.filter(({ method }) => method === 'POST');
			expect(writes.map((one) => texts((one.body as { data: IDataObject }).data))).toEqual([
				{ ...texts(body), name: '"Renamed"' },
			]);
		},
	);
});

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
