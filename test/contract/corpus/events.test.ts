import type { IDataObject } from 'n8n-workflow';

import { TAG_NAME } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import type { Delivery, TestTrigger } from '../../support/core';
import { startTrigger } from '../../support/core';
import { credentialOf } from '../../support/operate';
import { startScriptedPbx } from '../../support/scriptedPbx';
import { formOf, only, readCorpus, titled } from '../../support/corpus';
import type { Sent } from '../../support/corpus';

const EVENTS = readCorpus('events');
const FOREIGN = readCorpus('foreign-events');
const RECORDED = readCorpus<Sent[]>('kazoo/deliveries');
const WHOLE_CALLS =
	readCorpus<Array<{ what: string; bodies: string[]; means: IDataObject[] }>>('kazoo/deliveries-2');
const OFFICE = { office: 'Riga' };

type Envelope = IDataObject & { name: string; args: IDataObject };
const isEnvelope = (body: IDataObject): body is Envelope => 'args' in body;

/** A delivery of a kind of body; custom data stand where the platform merges them in. */
type Form = (body: IDataObject, custom: IDataObject) => Delivery;
const asForm = (body: IDataObject): Delivery => ({
	body: formOf(body).toString(),
	headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

/** The envelope and the flat form come as JSON or as a form; a platform can put custom data into the envelope. */
const FORMS: Record<string, Form> = {
	JSON: (body, own) => ({ body: { ...body, ...own } }),
	'a form': (body, own) => asForm({ ...body, ...own }),
};
const IN_ENVELOPE: Record<string, Form> = {
	'JSON, custom data in its envelope': (body, own) => ({
		body: { ...body, args: { ...(body as Envelope).args, ...own } },
	}),
	'JSON without its envelope': (body, own) => ({ body: { ...(body as Envelope).args, ...own } }),
};

/** Publishes an event trigger on a PBX that keeps its webhooks. Also returns the custom data that the PBX was told. */
async function publish(parameters: IDataObject, login: Parameters<typeof credentialOf>[1]) {
	const kept: IDataObject[] = [];
	const pbx = await startScriptedPbx(({ method, path, body }) => {
		if (!path.includes('/webhooks')) return undefined;
		const { data } = (body ?? {}) as { data?: IDataObject };
		if (method === 'PUT') kept.push({ ...data, id: `w${kept.length}` });
		const one = kept.find(({ id }) => path.endsWith(`/${String(id)}`));
		return { body: { data: method === 'PUT' ? kept.at(-1) : (one ?? kept) } };
	});
	const credential = await credentialOf(pbx, login);
	const type = 'virtualPbxTrigger';
	const trigger = await startTrigger({ type, credential, parameters: parameters as never });
	await trigger.activate();
	const close = async () => {
		await trigger.close();
		await pbx.close();
	};
	return { trigger, custom: kept[0]?.custom_data as IDataObject, close };
}

describe('events of the platform at the event trigger', () => {
	let trigger: TestTrigger;
	/** What the PBX merges into events: the custom data that it was told. */
	let custom: IDataObject;
	let close: () => Promise<void>;

	beforeAll(async () => {
		const events = ['started', 'answered', 'ended'];
		const options = { legs: 'everyLeg', includeDetails: true };
		const deliveryOptions = { customData: OFFICE, dropRepeats: false };
		const parameters = { events, options, deliveryOptions };
		({ trigger, custom, close } = await publish(parameters, { realm: 'acme.example' }));
	});
	beforeEach(() => void (trigger.executions.length = 0));
	afterAll(async () => await close());

	it.each(
		titled(EVENTS).flatMap(([what, entry]) =>
			Object.entries({ ...FORMS, ...(isEnvelope(entry.body) && IN_ENVELOPE) }).map(
				([form, make]) => [what, form, entry, make] as const,
			),
		),
	)('%s, as %s', async (_what, _form, { body, means }, make) => {
		const { status } = await trigger.deliver(make(body, custom));
		expect(status).toBe(200);
		expect(trigger.failures).toEqual([]);
		expect(trigger.executions.flat().map((item) => only(item, means))).toEqual([means]);
		expect(trigger.executions.flat()[0]?.details).toMatchObject({ customData: OFFICE });
		expect(custom[TAG_NAME]).toEqual(expect.any(String));
		expect(JSON.stringify(trigger.executions)).not.toContain(custom[TAG_NAME]);
	});

	it('are nobody’s failure where they are none of ours', async () => {
		for (const { what, body } of FOREIGN)
			for (const make of [asForm, (own: IDataObject): Delivery => ({ body: own })]) {
				const { status } = await trigger.deliver(make({ ...body, ...custom }));
				expect([what, status]).toEqual([what, 200]);
			}
		expect([trigger.executions, trigger.failures]).toEqual([[], []]);
	});

	it.each(titled(RECORDED))('byte for byte as a real Kazoo sent it: %s', async (_, sent) => {
		const { body, headers, means } = sent;
		const { status } = await trigger.deliver({ body: `${body}&${formOf(custom)}`, headers });
		expect([status, trigger.failures]).toEqual([200, []]);
		const items = trigger.executions.flat();
		// What is no event of a call starts nothing.
		expect(items.map((item) => only(item, means ?? {}))).toEqual(means ? [means] : []);
	});
});

it.each(titled(WHOLE_CALLS))(
	'a whole call, as a real Kazoo sent it, is one item per event: %s',
	async (_, { bodies, means }) => {
		const events = ['started', 'answered', 'missed', 'ended'];
		const platform = { dialect: 'kazoo', realm: 'cust.example.com' };
		const parameters = { events, options: { includeDetails: true } };
		const { trigger, custom, close } = await publish(parameters, platform);
		const headers = { 'content-type': 'application/x-www-form-urlencoded' };
		for (const body of bodies)
			await trigger.deliver({ body: `${body}&${formOf(custom).toString()}`, headers });
		const items = trigger.executions.flat();
		await close();
		expect(trigger.failures).toEqual([]);
		expect(items.map((item, index) => only(item, means[index] ?? {}))).toEqual(means);
	},
);
