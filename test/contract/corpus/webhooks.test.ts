import type { IDataObject } from 'n8n-workflow';
import { startTrigger } from '../../support/core';
import type { TestTrigger } from '../../support/core';
import { credentialOf, operate, placeIn, readCorpus, texts, titled } from '../../support/corpus';
import type { Entry } from '../../support/corpus';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedPbx } from '../../support/scriptedPbx';

type Webhook = IDataObject & { id: string };

/** As the list shows it, which is less. */
interface Listed extends Omit<Entry<Webhook>, 'means'> {
	listed: Webhook;
}

const CORPUS = readCorpus<Listed[]>('webhooks');

/** What the list shows of a webhook that is not of the corpus. */
const summary = ({ id, hook, name, uri }: IDataObject) => ({ id, hook, name, uri, enabled: true });

describe('webhooks of the platform', () => {
	let pbx: ScriptedPbx;
	let stored: Map<string, IDataObject>;
	let trigger: TestTrigger | undefined;
	const writes = () =>
		pbx.requests.filter(({ method, path }) => method !== 'GET' && placeIn(path) !== undefined);

	beforeEach(async () => {
		trigger = undefined;
		stored = new Map(CORPUS.map(({ body }) => [body.id, structuredClone(body)]));
		pbx = await startScriptedPbx(({ method, path, body }) => {
			const place = placeIn(path);
			const id = place?.split('/')[1] ?? '';
			if (place === undefined) return undefined;
			const { data } = (body ?? {}) as { data?: IDataObject };
			if (method === 'PUT') {
				const webhook = { ...data, id: `own${pbx.requests.length}`, enabled: true };
				stored.set(webhook.id, webhook);
				return { status: 201, body: { data: webhook, status: 'success' } };
			}
			const shown = [...stored].map(
				([one, webhook]) =>
					CORPUS.find(({ listed }) => listed.id === one)?.listed ?? summary(webhook),
			);
			if (id === '') return { body: { data: shown, page_size: shown.length, status: 'success' } };
			const found = stored.get(id);
			if (!found) return { status: 404, body: {} };
			if (method === 'DELETE') stored.delete(id);
			if (method === 'POST') stored.set(id, { ...data, id });
			return { body: { data: stored.get(id) ?? found, status: 'success' } };
		});
	});
	afterEach(async () => {
		await trigger?.close();
		await pbx.close();
	});

	it('are listed as the PBX lists them', async () => {
		const { items } = await operate(await credentialOf(pbx), 'webhook:getMany', {
			returnAll: true,
		});
		expect(items).toEqual(CORPUS.map(({ listed }) => listed));
	});

	it.each(titled(CORPUS))('are given whole: %s', async (_, { body }) => {
		const account = await credentialOf(pbx);
		const { items, error } = await operate(account, 'webhook:get', { webhookId: body.id });
		expect(error).toBeUndefined();
		expect(items).toEqual([body]);
	});

	it.each(titled(CORPUS))(
		'keep every other field, byte by byte, when one is changed: %s',
		async (_, { body }) => {
			const { error } = await operate(await credentialOf(pbx), 'webhook:update', {
				webhookId: body.id,
				updateFields: { name: 'Renamed' },
			});
			expect(error).toBeUndefined();
			expect(writes()).toHaveLength(1);
			const { data } = writes()[0]?.body as { data: IDataObject };
			expect(texts(data)).toEqual({ ...texts(body), name: '"Renamed"' });
		},
	);

	it('stay as they are while an event trigger comes and goes beside them', async () => {
		const before = structuredClone([...stored]);
		trigger = await startTrigger({
			type: 'virtualPbxTrigger',
			credential: await credentialOf(pbx),
			parameters: { events: ['started', 'ended'] },
		});
		await trigger.activate();
		expect(writes().map(({ method }) => method)).toEqual(['PUT', 'PUT']);
		await trigger.activate('init');
		expect(writes()).toHaveLength(2);
		await trigger.deactivate();
		expect([...stored]).toEqual(before);
		expect(writes().filter(({ method }) => method === 'DELETE')).toHaveLength(2);
	});
});
