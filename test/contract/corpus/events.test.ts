import type { IDataObject } from 'n8n-workflow';
import { isSecretKey } from '../../../nodes/VirtualPbx/events/secret';
import { startTrigger } from '../../support/core';
import type { Delivery, TestTrigger } from '../../support/core';
import { formOf, only, placeIn, readCorpus, titled } from '../../support/corpus';
import type { Entry } from '../../support/corpus';
import { credentialOf } from '../../support/operate';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { ScriptedPbx } from '../../support/scriptedPbx';

const EVENTS = readCorpus('events');
const FOREIGN = readCorpus('foreign-events');
const OFFICE = { office: 'Riga' };

type Envelope = IDataObject & { name: string; args: IDataObject };
const isEnvelope = (body: IDataObject): body is Envelope => 'args' in body;

/** A delivery of a kind of body; custom data stand where the platform merges them in. */
type Form = (body: IDataObject, custom: IDataObject) => Delivery;
const asForm = (body: IDataObject): Delivery => ({
	body: formOf(body).toString(),
	headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

const FORMS: Record<string, { of: 'envelope' | 'flat'; make: Form }> = {
	'JSON in the envelope': { of: 'envelope', make: (body, own) => ({ body: { ...body, ...own } }) },
	'JSON in the envelope, custom data in it': {
		of: 'envelope',
		make: (body, own) => ({ body: { ...body, args: { ...(body as Envelope).args, ...own } } }),
	},
	'bare JSON': {
		of: 'envelope',
		make: (body, own) => ({ body: { ...(body as Envelope).args, ...own } }),
	},
	'a form in the envelope': { of: 'envelope', make: (body, own) => asForm({ ...body, ...own }) },
	'a flat form': { of: 'flat', make: (body, own) => asForm({ ...body, ...own }) },
	'flat JSON': { of: 'flat', make: (body, own) => ({ body: { ...body, ...own } }) },
};

describe('events of the platform at the event trigger', () => {
	let pbx: ScriptedPbx;
	let trigger: TestTrigger;
	/** What the PBX merges into events: the custom data that it was told. */
	let custom: IDataObject;

	const start = async (parameters: IDataObject = {}) => {
		trigger = await startTrigger({
			type: 'virtualPbxTrigger',
			credential: await credentialOf(pbx),
			parameters: {
				events: ['started', 'answered', 'ended'],
				...parameters,
				options: {
					legs: 'everyLeg',
					includeDetails: true,
					customData: OFFICE,
					...(parameters.options as IDataObject | undefined),
				},
			} as never,
		});
		await trigger.activate();
		const { body } = pbx.seen('PUT', '/webhooks')[0] ?? {};
		custom = (body as { data: IDataObject }).data.custom_data as IDataObject;
	};

	beforeEach(async () => {
		const stored = new Map<string, IDataObject>();
		pbx = await startScriptedPbx(({ method, path, body }) => {
			const place = placeIn(path);
			const id = place?.split('/')[1] ?? '';
			if (place === undefined) return undefined;
			if (method === 'PUT') {
				const webhook = { ...(body as { data: IDataObject }).data, id: `w${stored.size}` };
				stored.set(webhook.id, webhook);
				return { status: 201, body: { data: webhook, status: 'success' } };
			}
			if (id === '') return { body: { data: [...stored.values()], status: 'success' } };
			const found = stored.get(id);
			if (method === 'DELETE') stored.delete(id);
			return found ? { body: { data: found } } : { status: 404, body: {} };
		});
	});
	afterEach(async () => {
		await trigger.close();
		await pbx.close();
	});

	it.each(
		titled(EVENTS).flatMap(([what, entry]) =>
			Object.entries(FORMS)
				.filter(([, { of }]) => (of === 'envelope') === isEnvelope(entry.body))
				.map(([form, { make }]): [string, string, Entry, Form] => [what, form, entry, make]),
		),
	)('%s, as %s', async (_what, _form, { body, means }, make) => {
		await start();
		const { status } = await trigger.deliver(make(body, custom));
		expect(status).toBe(200);
		expect(trigger.failures).toEqual([]);
		expect(trigger.executions.flat().map((item) => only(item, means))).toEqual([means]);
		expect(trigger.executions.flat()[0]?.details).toMatchObject({ customData: OFFICE });
		const secrets = Object.entries(custom).filter(([key]) => isSecretKey(key));
		expect(secrets).toHaveLength(1);
		expect(JSON.stringify(trigger.executions)).not.toContain(secrets[0]?.[1]);
	});

	it('are nobody’s failure where they are none of ours', async () => {
		await start();
		for (const { what, body } of FOREIGN)
			for (const make of [asForm, (own: IDataObject): Delivery => ({ body: own })]) {
				const { status } = await trigger.deliver(make({ ...body, ...custom }));
				expect([what, status]).toEqual([what, 200]);
			}
		expect([trigger.executions, trigger.failures]).toEqual([[], []]);
	});
});
