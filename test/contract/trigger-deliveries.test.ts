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

const NO_CREDENTIAL =
	/has no credential. Choose one in the node. Only 'Sample Events' work without it./;

const CALL = { from: '12125550123', to: '12125550100' };

describe('deliveries to the event trigger', () => {
	let bench: TriggerBench;
	beforeAll(async () => {
		bench = await TriggerBench.start();
	});
	afterEach(async () => await bench.clear());
	afterAll(async () => await bench.close());

	async function active(parameters: IDataObject): Promise<TestTrigger> {
		const trigger = await bench.trigger(parameters);
		await trigger.activate();
		return trigger;
	}
	const events = (trigger: TestTrigger) => trigger.executions.flat().map(({ event }) => event);
	const answers = () => bench.sandbox.pbx.deliveries.list().map(({ status }) => status);

	/** A delivery as the PBX would send it to this trigger. */
	function genuine(
		trigger: TestTrigger,
		changes: IDataObject = {},
	): { name: string; args: IDataObject } & IDataObject {
		const sample = sampleOf('ended', 63_962_000_000);
		const args = { ...sample.args, 'Msg-ID': randomUUID(), ...changes };
		return { ...sample, args, [TAG_NAME]: String(bench.secrets(trigger)[0]) };
	}

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
			for (const [item] of trigger.executions) {
				expect(item).toMatchObject({
					callType: 'incoming',
					customerNumber: CALL.from,
					details: { leg: 'first', customData: { office: 'Riga' } },
				});
			}
			expect(JSON.stringify(trigger.executions)).not.toContain(bench.secrets(trigger)[0]);
		},
	);

	it('that are filtered out are answered with 200 and start nothing', async () => {
		const trigger = await active({ events: ['ended'], filters: { from: '1718*' } });
		const { status, body } = await trigger.deliver({ body: genuine(trigger) });
		expect({ status, body: JSON.parse(body) as unknown }).toEqual({
			status: 200,
			body: { status: 'ignored', reasons: ['filtered by caller number'] },
		});
		expect(trigger.executions).toEqual([]);
	});

	it.each<[IDataObject, boolean]>([
		[{ filters: { hangupCauses: ['NORMAL_CLEARING'] } }, true],
		[{ filters: { outcomes: '={{ "answered, busy" }}' } }, true],
		[{ filters: { minTalkSeconds: '72' } }, true],
		[{ events: ['ended', 'missed'], options: { countVoicemail: false } }, true],
		[{ events: '={{ ["started", "ended"] }}' }, true],
		[{ events: ['started'] }, false],
	])('are chosen by %j: %s', async (parameters, isChosen) => {
		const trigger = await active({ events: ['started', 'ended'], ...parameters });
		expect(await trigger.deliver({ body: genuine(trigger) })).toMatchObject({ status: 200 });
		expect(trigger.executions).toHaveLength(isChosen ? 1 : 0);
	});

	it.each([
		['from', '', "'Caller Numbers' is empty"],
		['to', ', ,', "'Called Numbers' is empty"],
		['number', '={{ undefined }}', "'Caller or Called Numbers' is empty"],
		['outcomes', '={{ ["answered", "lost"] }}', "\"lost\" isn't a valid value for 'Outcomes'"],
		['outcomes', ['ringing'], "\"ringing\" isn't a valid value for 'Outcomes'"],
	])(
		'are refused, and so is the activation, when the filter %s is %j',
		async (name, empty, words) => {
			const trigger = await active({ events: ['ended'] });
			trigger.setParameters({ filters: { [name]: empty } });
			const answer = await trigger.deliver({ body: genuine(trigger) });

			expect(answer.status).toBe(422);
			expect((JSON.parse(answer.body) as { message: string }).message).toContain(words);
			expect(trigger.executions).toEqual([]);
			await expect(trigger.activate()).rejects.toThrow(words);
		},
	);

	const FORM = 'application/x-www-form-urlencoded';

	const JSON_TYPE = 'application/json';
	const multipart = (event: IDataObject) =>
		`--x\r\nContent-Disposition: form-data; name="event"\r\n\r\n${JSON.stringify(event)}\r\n--x--\r\n`;

	it.each<[string, (delivery: IDataObject) => unknown, string]>([
		['an event without a secret', ({ [TAG_NAME]: _, ...rest }) => rest, JSON_TYPE],
		[
			'an event with a wrong secret',
			(event) => ({ ...event, [TAG_NAME]: 'f'.repeat(64) }),
			JSON_TYPE,
		],
		[
			'an event of another kind',
			() => ({ name: 'CHANNEL_BRIDGE', args: { 'Call-ID': 'a' } }),
			JSON_TYPE,
		],
		['an event that lacks its Call-ID', () => ({ name: 'CHANNEL_DESTROY', args: {} }), JSON_TYPE],
		['no event', () => ({ hello: 'world' }), JSON_TYPE],
		['a form', () => 'hook_event=channel_destroy&x=1', FORM],
		['a list of events', (event) => [event], JSON_TYPE],
		['nothing', () => '', JSON_TYPE],
	])('of strangers get the same 401 when they hold %s', async (_, change, type) => {
		const trigger = await active({ events: ['ended'] });
		const headers = { 'content-type': type };
		const answer = await trigger.deliver({ body: change(genuine(trigger)), headers });
		expect(answer.status).toBe(401);
		expect(JSON.parse(answer.body)).toEqual({
			status: 'refused',
			message: expect.stringMatching(
				/^This delivery doesn't contain the webhook's secret.*turn off 'Verify Deliveries' in the n8n trigger$/,
			),
		});
		expect(trigger.executions).toEqual([]);
		expect(trigger.failures).toEqual([]);
	});

	it.each<[string, number, string, (event: IDataObject) => string]>([
		['JSON', 413, JSON_TYPE, (event) => JSON.stringify({ ...event, x: 'x'.repeat(1_100_000) })],
		['a form', 413, FORM, () => `x=${'x'.repeat(1_100_000)}`],
		['text', 413, 'text/plain', () => 'x'.repeat(1_100_000)],
		['a multipart form', 415, 'multipart/form-data; boundary=x', multipart],
		['a multipart form in capitals', 415, 'Multipart/FORM-Data;boundary=x', multipart],
		['a multipart form without a boundary', 415, 'multipart/form-data', multipart],
		['another multipart body', 415, 'multipart/mixed; boundary=x', multipart],
	])(
		'are refused, whoever sends them: too large or multipart, %s',
		async (_, status, type, make) => {
			const trigger = await active({ events: ['ended'] });
			const headers = { 'content-type': type };
			const answer = await trigger.deliver({ body: make(genuine(trigger)), headers });
			expect([answer.status, answer.body]).toEqual([
				status,
				expect.stringContaining(status === 413 ? 'larger than 1 MiB' : 'multipart'),
			]);
			expect([trigger.executions, trigger.failures]).toEqual([[], []]);
		},
	);

	it('of strangers learn nothing of wrong parameters', async () => {
		const trigger = await active({ events: ['ended'] });
		trigger.setParameters({ filters: { from: '' } });
		const answer = await trigger.deliver({ body: { hello: 1 } });
		expect(answer.status).toBe(401);
		expect(answer.body).not.toContain('Caller Numbers');
	});

	const OTHERS: Array<[string, unknown, number, RegExp]> = [
		['an event of another kind', { name: 'CHANNEL_BRIDGE', args: {} }, 200, /Unknown event/],
		['an event of another kind without args', { 'Event-Name': 'X' }, 200, /X/],
		['no event', { hello: 'world' }, 400, /isn't a call event/],
		['a text', 'hello', 400, /neither a JSON object nor form/],
	];

	it.each(OTHERS)(
		'that need no secret are answered by what they hold: %s',
		async (_, body, status, words) => {
			const trigger = await active({
				events: ['ended'],
				deliveryOptions: { verifyDeliveries: false },
			});
			const headers = {
				'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
			};
			const answer = await trigger.deliver({ body, headers });
			expect([answer.status, answer.body]).toEqual([status, expect.stringMatching(words)]);
			expect(trigger.executions).toEqual([]);
		},
	);

	it('of a platform that drops custom data are refused with a reason in the attempts log, or taken when told to', async () => {
		bench.sandbox.pbx.change({ custom_data_placement: 'none' });
		const trigger = await active({ events: ['ended'] });
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

	it('are taken without a content type, and with one of a text', async () => {
		const trigger = await active({ events: ['ended'], deliveryOptions: { dropRepeats: false } });
		await trigger.deliver({ body: genuine(trigger), headers: { 'content-type': '' } });
		await trigger.deliver({ body: genuine(trigger), headers: { 'content-type': 'text/plain' } });
		expect(events(trigger)).toEqual(['ended', 'ended']);
	});

	it('are refused with the secret beside the event, to which the PBX adds it (§2.5)', async () => {
		const trigger = await active({ events: ['ended'] });
		const { [TAG_NAME]: secret, ...plain } = genuine(trigger);
		const mark = { [TAG_NAME]: String(secret) };
		for (const delivery of [{ query: mark }, { headers: mark }])
			expect(await trigger.deliver({ body: plain, ...delivery })).toMatchObject({ status: 401 });
		expect(trigger.executions).toEqual([]);
	});

	describe('that repeat', () => {
		it('start the workflow once', async () => {
			bench.sandbox.pbx.faults.add({ kind: 'delivery-duplicate' });
			const trigger = await active({
				events: ['started', 'answered', 'ended'],
				options: { legs: 'everyLeg' },
			});
			const call = await bench.sandbox.call(CALL);
			expect(trigger.executions).toHaveLength(3 * call.legs.length);
			expect(new Set(answers())).toEqual(new Set([200]));
		});

		it('start it each time when not dropped', async () => {
			const trigger = await active({ events: ['ended'], deliveryOptions: { dropRepeats: false } });
			const marked = genuine(trigger);
			await trigger.deliver({ body: marked });
			await trigger.deliver({ body: marked });
			expect(trigger.executions).toHaveLength(2);
		});

		it.each([
			['while n8n starts the workflow', 60],
			['and n8n then fails to start it', 60],
		])('start it once when the PBX stops waiting %s', async (what, patienceMs) => {
			const trigger = await active({ events: ['ended'] });
			const body = genuine(trigger);
			if (what.includes('fails')) trigger.failNext();
			trigger.beforeStart = async () => await sleep(300);
			const impatient = async () =>
				await trigger.deliver({ body, signal: AbortSignal.timeout(patienceMs) });
			await expect(impatient()).rejects.toThrow();
			await expect(impatient()).rejects.toThrow();
			expect(await trigger.deliver({ body })).toMatchObject({ status: 200 });
			expect(trigger.executions).toHaveLength(1);
		});

		it.each<[string, IDataObject]>([
			['with a Msg-ID', { 'Msg-ID': 'm', 'Call-ID': 'reused' }],
			['without a Msg-ID', { 'Msg-ID': '', 'Call-ID': 'reused' }],
		])('are no others, of a Call-ID that the PBX uses again, %s', async (_, changes) => {
			const trigger = await active({ events: ['ended'], options: { legs: 'everyLeg' } });
			const event = genuine(trigger, changes);
			const later = {
				...event,
				args: {
					...event.args,
					Timestamp: Number(event.args.Timestamp) + 10_800,
					'Msg-ID': changes['Msg-ID'] && 'm2',
				},
			};
			for (const body of [event, later, event, later]) await trigger.deliver({ body });
			expect(trigger.executions).toHaveLength(2);
		});

		it('are never dropped when n8n has not taken the first one', async () => {
			const trigger = await active({ events: ['ended'] });
			const delivery = genuine(trigger);
			trigger.failNext();
			expect(await trigger.deliver({ body: delivery })).toMatchObject({ status: 500 });
			expect(await trigger.deliver({ body: delivery })).toMatchObject({ status: 200 });
			expect(await trigger.deliver({ body: delivery })).toMatchObject({ status: 200 });
			expect(trigger.executions).toHaveLength(1);
		});

		it('at the same time start it once', async () => {
			const trigger = await active({ events: ['ended'] });
			const [one, two] = [genuine(trigger), genuine(trigger)];
			const results = await Promise.all(
				[one, two, two, one].map(async (body) => await trigger.deliver({ body })),
			);
			expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
			expect(trigger.executions.flat()).toHaveLength(2);
		});
	});

	describe('that are grouped', () => {
		const deliveryOptions = { groupEvents: true };
		const send = async (trigger: TestTrigger, bodies: unknown[]) => {
			const answers = bodies.map(async (body) => await trigger.deliver({ body }));
			return (await Promise.all(answers)).map(({ status }) => status);
		};

		it('start one execution with an item for each, once', async () => {
			const trigger = await active({ events: ['ended'], deliveryOptions });
			const [one, two] = [genuine(trigger), genuine(trigger)];
			expect(await send(trigger, [one, two, one])).toEqual([200, 200, 200]);
			expect(await send(trigger, [two, genuine(trigger)])).toEqual([200, 200]);
			expect(trigger.executions.map((items) => items.length)).toEqual([2, 1]);
		});

		it('are all refused when n8n has not taken the first one, and start it again', async () => {
			const trigger = await active({ events: ['ended'], deliveryOptions });
			const bodies = [genuine(trigger), genuine(trigger)];
			trigger.failNext();
			expect(await send(trigger, bodies)).toEqual([500, 503]);
			expect(await send(trigger, bodies)).toEqual([200, 200]);
			expect(trigger.executions.map((items) => items.length)).toEqual([2]);
		});

		it('start several executions if they are many', async () => {
			const trigger = await active({ events: ['ended'], deliveryOptions });
			const many = Array.from({ length: 520 }, () => genuine(trigger));
			expect(new Set(await send(trigger, many))).toEqual(new Set([200]));
			expect(trigger.executions.flat()).toHaveLength(520);
			expect(Math.max(...trigger.executions.map((items) => items.length))).toBeLessThanOrEqual(500);
		});
	});

	it('of samples come at once in test mode, without the PBX', async () => {
		const trigger = await bench.trigger({
			events: ['started', 'ended', 'missed'],
			sampleEvents: true,
			options: { includeDetails: true },
			deliveryOptions: { customData: '{"office":"Riga"}' },
			filters: { from: '1' },
		});
		bench.credential.write({ baseUrl: 'http://127.0.0.1:9' });
		await trigger.activate('manual', 'test');
		await eventually(() => expect(trigger.executions).not.toEqual([]));
		await trigger.deactivate('test');
		bench.credential.write({ baseUrl: bench.sandbox.url });
		expect(trigger.executions.flat()).toMatchObject([
			{ event: 'ended', outcome: 'answered', details: { customData: { office: 'Riga' } } },
			{ event: 'missed', outcome: 'noAnswer', missed: true },
			{ event: 'started', outcome: 'ringing', details: { state: 'ringing' } },
		]);
		const times = trigger.executions.flat().map(({ at }) => Date.parse(String(at)));
		for (const time of times) expect(time).toBeLessThanOrEqual(Date.now());
	});

	it('of samples need no credential', async () => {
		const parameters = { sampleEvents: true } as never;
		const trigger = await startTrigger({ type: 'virtualPbxTrigger', parameters });
		await trigger.activate('manual', 'test');
		await eventually(() => expect(trigger.executions).not.toEqual([]));
		await trigger.deactivate('test');
		await expect(trigger.activate()).rejects.toThrow(NO_CREDENTIAL);
		await trigger.close();
		expect(trigger.executions.flat()).toMatchObject([{ event: 'ended', outcome: 'answered' }]);
	});

	it('of calls need a credential', async () => {
		const trigger = await startTrigger({ type: 'virtualPbxTrigger', parameters: {} as never });
		await expect(trigger.activate('manual', 'test')).rejects.toThrow(NO_CREDENTIAL);
		await trigger.close();
	});
});
