import type { IDataObject } from 'n8n-workflow';
import { placeIn, readCorpus, texts, titled } from '../../support/corpus';
import type { Entry } from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import { useScriptedPbx } from '../../support/scriptedPbx';

type Webhook = IDataObject & { id: string };

/** As the list shows it, which is less. */
interface Listed extends Omit<Entry<Webhook>, 'means'> {
	listed: Webhook;
}

const CORPUS = readCorpus<Listed[]>('webhooks');

describe('webhooks of the platform', () => {
	let stored: Map<string, IDataObject>;
	const writes = () =>
		pbx.requests.filter(({ method, path }) => method !== 'GET' && placeIn(path) !== undefined);

	const pbx = useScriptedPbx(({ method, path, body }) => {
		const place = placeIn(path);
		const id = place?.split('/')[1] ?? '';
		if (place === undefined) return undefined;
		const { data } = (body ?? {}) as { data?: IDataObject };
		const shown = CORPUS.map(({ listed }) => listed);
		if (id === '') return { body: { data: shown, page_size: shown.length, status: 'success' } };
		const found = stored.get(id);
		if (!found) return { status: 404, body: {} };
		if (method === 'POST') stored.set(id, { ...data, id });
		return { body: { data: stored.get(id) ?? found, status: 'success' } };
	});
	beforeEach(() => {
		stored = new Map(CORPUS.map(({ body }) => [body.id, structuredClone(body)]));
	});

	it('are listed as the PBX lists them', async () => {
		const { items } = await operate(await credentialOf(pbx), 'webhook:getMany', {
			returnAll: true,
		});
		expect(items).toEqual(CORPUS.map(({ listed }) => listed));
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
});
