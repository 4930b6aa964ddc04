import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';

import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/delivery';
import { sampleOf } from '../../nodes/VirtualPbx/pbx/events/table';
import type { TestTrigger } from '../support/core';
import { startTrigger } from '../support/core';
import { eventually } from '../support/eventually';
import { onKazoo } from '../support/profile';
import { unless } from '../support/unless';
import { TriggerBench } from '../support/trigger';

const CALL = { from: '12125550123', to: '12125550100' };
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

let bench: TriggerBench;
beforeAll(async () => void (bench = await TriggerBench.start()));
afterEach(async () => await bench.clear());
afterAll(async () => await bench.close());

async function active(parameters: IDataObject = {}): Promise<TestTrigger> {
	const trigger = await bench.trigger({ events: ['ended'], ...parameters });
	await trigger.activate();
	return trigger;
}
const events = (trigger: TestTrigger) => trigger.executions.flat().map(({ event }) => event);

/** A delivery as the PBX would send it to this trigger. */
function genuine(trigger: TestTrigger, changes: IDataObject = {}) {
	const sample = sampleOf('ended', 63_962_000_000);
	const args: IDataObject = { ...sample.args, 'Msg-ID': randomUUID(), ...changes };
	return { ...sample, args, [TAG_NAME]: String(bench.secrets(trigger)[0]) };
}
/** Sends bodies at the same time, or a single one. Returns the statuses. */
const send = async (trigger: TestTrigger, ...bodies: unknown[]) =>
	(await Promise.all(bodies.map(async (body) => await trigger.deliver({ body })))).map(
		({ status }) => status,
	);

describe('deliveries to the event trigger', () => {
	unless(onKazoo(), it).each([
		['contract', 'top'],
		['contract', 'args'],
		['contract', 'custom_data'],
		['field', 'top'],
		['kazoo', 'top'],
	] as const)(
		'start the workflow once per event: profile %s, custom data at %s',
		async (profile, custom_data_placement) => {
			const both = { legs: 'both', local_addresses: 'accept' } as const;
			bench.sandbox.pbx.change({ ...both, profile, custom_data_placement });
			const trigger = await active({
				events: ['started', 'answered', 'ended', 'missed'],
				options: { includeDetails: true },
				deliveryOptions: { customData: { office: 'Riga' } },
			});
			await bench.sandbox.call({ ...CALL, to: '101' });
			await bench.sandbox.call({ ...CALL, outcome: 'no-answer', to: '102' });

			expect(events(trigger)).toEqual(['started', 'answered', 'ended', 'started', 'missed']);
			const details = { leg: 'first', customData: { office: 'Riga' } };
			for (const [item] of trigger.executions)
				expect(item).toMatchObject({ callType: 'incoming', customerNumber: CALL.from, details });
			expect(JSON.stringify(trigger.executions)).not.toContain(bench.secrets(trigger)[0]);
		},
	);

	it.each<[IDataObject, string[]]>([
		[{ filters: { hangupCauses: ['NORMAL_CLEARING'] } }, []],
		[{ filters: { outcomes: '={{ "answered, busy" }}' } }, []],
		[{ filters: { minTalkSeconds: '72' } }, []],
		[{ events: ['ended', 'missed'], options: { countVoicemail: false } }, []],
		[{ events: '={{ ["started", "ended"] }}' }, []],
		[{ events: ['started'] }, ['event not chosen']],
		[{ filters: { from: '1718*' } }, ['filtered by caller number']],
	])('are chosen by %j, or answered with 200 and why they are not: %j', async (...given) => {
		const [parameters, reasons] = given;
		const trigger = await active(parameters);
		const { status, body } = await trigger.deliver({ body: genuine(trigger) });
		expect([status, trigger.executions.length]).toEqual([200, reasons.length === 0 ? 1 : 0]);
		if (reasons.length > 0) expect(JSON.parse(body)).toEqual({ status: 'ignored', reasons });
	});

	const multipart = (event: IDataObject) =>
		`--x\r\nContent-Disposition: form-data; name="event"\r\n\r\n${JSON.stringify(event)}\r\n--x--\r\n`;
	const long = 'x'.repeat(1_100_000);

	it.each<[string, number, string, (delivery: IDataObject) => unknown]>([
		['an event without a secret', 401, JSON_TYPE, ({ [TAG_NAME]: _, ...rest }) => rest],
		['a wrong secret', 401, JSON_TYPE, (event) => ({ ...event, [TAG_NAME]: 'f'.repeat(64) })],
		['an event of another kind', 401, JSON_TYPE, () => ({ name: 'CHANNEL_BRIDGE', args: {} })],
		['an event without a Call-ID', 401, JSON_TYPE, () => ({ name: 'CHANNEL_DESTROY', args: {} })],
		['no event', 401, JSON_TYPE, () => ({ hello: 'world' })],
		['a form', 401, FORM, () => 'hook_event=channel_destroy&x=1'],
		['a list of events', 401, JSON_TYPE, (event) => [event]],
		['nothing', 401, JSON_TYPE, () => ''],
		['large JSON', 413, JSON_TYPE, (event) => ({ ...event, long })],
		['a large form', 413, FORM, () => `x=${long}`],
		['a large text', 413, 'text/plain', () => long],
		['a multipart form', 415, 'multipart/form-data; boundary=x', multipart],
		['a multipart form in capitals', 415, 'Multipart/FORM-Data;boundary=x', multipart],
		['a multipart form without a boundary', 415, 'multipart/form-data', multipart],
		['another multipart body', 415, 'multipart/mixed; boundary=x', multipart],
	])('with %s get %d, in the same words from whomever', async (_, status, type, change) => {
		const words = {
			401: /^{"status":"refused","message":"This delivery doesn't contain the webhook's secret.*turn off 'Verify Deliveries' in the n8n trigger"}$/,
			413: /larger than 1 MiB/,
			415: /multipart/,
		}[status as 401];
		const trigger = await active();
		const headers = { 'content-type': type };
		const answer = await trigger.deliver({ body: change(genuine(trigger)), headers });
		expect([answer.status, answer.body]).toEqual([status, expect.stringMatching(words)]);
		expect([trigger.executions, trigger.failures]).toEqual([[], []]);
	});

	it('with wrong parameters are refused in words that strangers do not get', async () => {
		const trigger = await active();
		trigger.setParameters({ filters: { from: '' } });
		const stranger = await trigger.deliver({ body: { hello: 1 } });
		expect([stranger.status, stranger.body]).toEqual([401, expect.not.stringContaining('Caller')]);
		const { status, body } = await trigger.deliver({ body: genuine(trigger) });
		expect([status, body]).toEqual([422, expect.stringContaining("'Caller Numbers' is empty")]);
		expect(trigger.executions).toEqual([]);
	});

	it.each<[unknown, number, RegExp]>([
		[{ name: 'CHANNEL_BRIDGE', args: {} }, 200, /Unknown event/],
		[{ 'Event-Name': 'X' }, 200, /X/],
		[{ hello: 'world' }, 400, /isn't a call event/],
		['hello', 400, /neither a JSON object nor form/],
	])('that need no secret are answered by what they hold: %j', async (body, status, words) => {
		const trigger = await active({ deliveryOptions: { verifyDeliveries: false } });
		const headers = { 'content-type': typeof body === 'string' ? 'text/plain' : JSON_TYPE };
		const answer = await trigger.deliver({ body, headers });
		expect([answer.status, answer.body]).toEqual([status, expect.stringMatching(words)]);
		expect(trigger.executions).toEqual([]);
	});

	it('of a platform that drops custom data are refused with a reason in the attempts log, or taken when told to', async () => {
		bench.sandbox.pbx.change({ custom_data_placement: 'none' });
		const trigger = await active();
		await bench.sandbox.call(CALL);
		expect(trigger.executions).toEqual([]);
		expect(bench.store.attempts()[0]).toMatchObject({
			resp_status_code: '401',
			resp_body: expect.stringContaining("turn off 'Verify Deliveries'"),
		});
		trigger.setParameters({ deliveryOptions: { verifyDeliveries: false } });
		await bench.sandbox.call(CALL);
		expect(events(trigger)).toEqual(['ended']);
	});

	it('are refused with the secret beside the event, to which the PBX adds it (§2.5)', async () => {
		const trigger = await active();
		const { [TAG_NAME]: secret, ...plain } = genuine(trigger);
		const mark = { [TAG_NAME]: String(secret) };
		for (const delivery of [{ query: mark }, { headers: mark }])
			expect(await trigger.deliver({ body: plain, ...delivery })).toMatchObject({ status: 401 });
		expect(trigger.executions).toEqual([]);
	});
});

describe('deliveries that repeat', () => {
	it('start the workflow once', async () => {
		bench.sandbox.pbx.faults.add({ kind: 'delivery-duplicate' });
		const all = ['started', 'answered', 'ended'];
		const trigger = await active({ events: all, options: { legs: 'everyLeg' } });
		const call = await bench.sandbox.call(CALL);
		expect(trigger.executions).toHaveLength(3 * call.legs.length);
		const answers = bench.sandbox.pbx.deliveries.list().map(({ status }) => status);
		expect(new Set(answers)).toEqual(new Set([200]));
	});

	it('start it each time when not dropped, also without a content type or with one of a text', async () => {
		const trigger = await active({ deliveryOptions: { dropRepeats: false } });
		const body = genuine(trigger);
		for (const type of [JSON_TYPE, '', 'text/plain'])
			await trigger.deliver({ body, headers: { 'content-type': type } });
		expect(events(trigger)).toEqual(['ended', 'ended', 'ended']);
	});

	it.each(['while n8n starts the workflow', 'and n8n then fails to start it'])(
		'start it once when the PBX stops waiting %s',
		async (what) => {
			const trigger = await active();
			const body = genuine(trigger);
			if (what.includes('fails')) trigger.failNext();
			trigger.beforeStart = async () => await sleep(300);
			for (let attempt = 0; attempt < 2; attempt++) {
				const signal = AbortSignal.timeout(60);
				await expect(trigger.deliver({ body, signal })).rejects.toThrow();
			}
			expect(await send(trigger, body)).toEqual([200]);
			expect(trigger.executions).toHaveLength(1);
		},
	);

	it.each(['m', ''])(
		'are no others, of a Call-ID that the PBX uses again: Msg-ID "%s"',
		async (id) => {
			const trigger = await active({ options: { legs: 'everyLeg' } });
			const event = genuine(trigger, { 'Msg-ID': id, 'Call-ID': 'reused' });
			const Timestamp = Number(event.args.Timestamp) + 10_800;
			const later = { ...event, args: { ...event.args, Timestamp, 'Msg-ID': id && 'm2' } };
			for (const body of [event, later, event, later]) await trigger.deliver({ body });
			expect(trigger.executions).toHaveLength(2);
		},
	);

	it('are never dropped when n8n has not taken the first one', async () => {
		const trigger = await active();
		const delivery = genuine(trigger);
		trigger.failNext();
		const statuses = [];
		for (let time = 0; time < 3; time++) statuses.push(...(await send(trigger, delivery)));
		expect([statuses, trigger.executions.length]).toEqual([[500, 200, 200], 1]);
	});

	it('at the same time start it once', async () => {
		const trigger = await active();
		const [one, two] = [genuine(trigger), genuine(trigger)];
		expect(await send(trigger, one, two, two, one)).toEqual([200, 200, 200, 200]);
		expect(trigger.executions.flat()).toHaveLength(2);
	});
});

describe('deliveries that are grouped', () => {
	const deliveryOptions = { groupEvents: true };
	const sizes = (trigger: TestTrigger) => trigger.executions.map((items) => items.length);

	it('start one execution with an item for each, once', async () => {
		const trigger = await active({ deliveryOptions });
		const [one, two] = [genuine(trigger), genuine(trigger)];
		expect(await send(trigger, one, two, one)).toEqual([200, 200, 200]);
		expect(await send(trigger, two, genuine(trigger))).toEqual([200, 200]);
		expect(sizes(trigger)).toEqual([2, 1]);
	});

	it('are all refused when n8n has not taken the first one, and start it again', async () => {
		const trigger = await active({ deliveryOptions });
		const bodies = [genuine(trigger), genuine(trigger)];
		trigger.failNext();
		expect(await send(trigger, ...bodies)).toEqual([500, 503]);
		expect(await send(trigger, ...bodies)).toEqual([200, 200]);
		expect(sizes(trigger)).toEqual([2]);
	});

	it('start several executions if they are many', async () => {
		const trigger = await active({ deliveryOptions });
		const many = Array.from({ length: 520 }, () => genuine(trigger));
		expect(new Set(await send(trigger, ...many))).toEqual(new Set([200]));
		expect(trigger.executions.flat()).toHaveLength(520);
		expect(Math.max(...sizes(trigger))).toBeLessThanOrEqual(500);
	});
});

describe('samples of events', () => {
	const NO_CREDENTIAL =
		/has no credential. Choose one in the node. Only 'Sample Events' work without it./;
	const samplesOf = async (trigger: TestTrigger) => {
		await trigger.activate('manual', 'test');
		await eventually(() => expect(trigger.executions).not.toEqual([]));
		await trigger.deactivate('test');
		return trigger.executions.flat();
	};

	it('come at once in test mode, without the PBX', async () => {
		const trigger = await bench.trigger({
			events: ['started', 'ended', 'missed'],
			sampleEvents: true,
			options: { includeDetails: true },
			deliveryOptions: { customData: '{"office":"Riga"}' },
			filters: { from: '1' },
		});
		bench.credential.write({ baseUrl: 'http://127.0.0.1:9' });
		const samples = await samplesOf(trigger);
		expect(samples).toMatchObject([
			{ event: 'ended', outcome: 'answered', details: { customData: { office: 'Riga' } } },
			{ event: 'missed', outcome: 'noAnswer', missed: true },
			{ event: 'started', outcome: 'ringing', details: { state: 'ringing' } },
		]);
		for (const { at } of samples) expect(Date.parse(String(at))).toBeLessThanOrEqual(Date.now());
	});

	it('need no credential, unlike calls', async () => {
		const type = 'virtualPbxTrigger';
		const trigger = await startTrigger({ type, parameters: { sampleEvents: true } });
		expect(await samplesOf(trigger)).toMatchObject([{ event: 'ended', outcome: 'answered' }]);
		await expect(trigger.activate()).rejects.toThrow(NO_CREDENTIAL);
		trigger.setParameters({ sampleEvents: false });
		await expect(trigger.activate('manual', 'test')).rejects.toThrow(NO_CREDENTIAL);
		await trigger.close();
	});
});
