import type { IDataObject } from 'n8n-workflow';
import { sampleOf } from '../../nodes/VirtualPbx/events/samples';
import { MARK_NAME } from '../../nodes/VirtualPbx/events/secret';
import type { TestTrigger } from '../support/core';
import { TriggerBench } from '../support/trigger';

/** Events as services of this kind send them in the field, which the sandbox does not make. */
describe('events in the field', () => {
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
	const told = (trigger: TestTrigger) =>
		trigger.executions
			.flat()
			.map(({ event, details, callId }) =>
				[event, (details as IDataObject | undefined)?.legId ?? callId].join(' '),
			);

	/** Delivers a call ended as §6 shows it, with changes; returns the status. */
	async function deliver(trigger: TestTrigger, changes: IDataObject): Promise<number> {
		const { name, args } = sampleOf('missed', 63_962_000_000);
		const body = { name, args: { ...args, ...changes }, ...secretOf(trigger) };
		return (await trigger.deliver({ body })).status;
	}
	async function deliverFlat(
		trigger: TestTrigger,
		fields: Record<string, string>,
	): Promise<number> {
		const body = new URLSearchParams({
			hook_event: 'channel_destroy',
			...fields,
			...secretOf(trigger),
		}).toString();
		const headers = { 'content-type': 'application/x-www-form-urlencoded' };
		return (await trigger.deliver({ body, headers })).status;
	}
	const secretOf = (trigger: TestTrigger) => ({
		[MARK_NAME]: String(bench.secrets(trigger)[0]),
	});

	it('tell a call without an inbound leg once', async () => {
		const trigger = await active({ events: ['ended'] });
		const pair = (own: string, other: string): IDataObject => ({
			'Call-ID': own,
			'Msg-ID': own,
			'Call-Direction': 'outbound',
			'Other-Leg-Call-ID': other,
			'Other-Leg-Direction': 'outbound',
			'Custom-Channel-Vars': { 'Bridge-ID': 'nobody' },
		});
		for (const changes of [pair('a', 'b'), pair('b', 'a')]) await deliver(trigger, changes);
		await deliver(trigger, {
			...pair('alone', ''),
			'Other-Leg-Direction': undefined,
			'Custom-Channel-Vars': { 'Bridge-ID': 'nobody else' },
		});
		expect(told(trigger)).toEqual(['ended nobody', 'ended nobody else']);
	});

	it('in the flat form tell each call once, its repeats left out', async () => {
		const trigger = await active({
			events: ['ended', 'missed'],
			options: { includeDetails: true },
		});
		const deliveries: Array<Record<string, string>> = [
			{ call_id: 'x', call_direction: 'outbound', other_leg_call_id: 'i' },
			{ call_id: 'i', call_direction: 'inbound', other_leg_call_id: 'x', billing_seconds: '0' },
			{ call_id: 'c', call_direction: 'outbound', other_leg_call_id: 'd' },
			{ call_id: 'd', call_direction: 'outbound', other_leg_call_id: 'c' },
		];
		for (const fields of [...deliveries, ...deliveries])
			expect(await deliverFlat(trigger, fields)).toBe(200);
		expect(told(trigger)).toEqual(['missed i', 'ended d']);
		const details = trigger.executions.flat().map((item) => item.details as IDataObject);
		expect(details.map(({ leg }) => leg)).toEqual(['first', 'first']);
	});

	it('take a number and a name apart, in filters, too', async () => {
		const trigger = await active({
			events: ['ended'],
			filters: { from: '171', callType: ['internal'] },
			options: { includeDetails: true },
		});
		await deliver(trigger, {
			'Caller-ID-Name': undefined,
			'Caller-ID-Number': '171 (IVANOVA MA)',
			'To-Uri': '"Ann Berg" <sip:101@company.example;user=phone>;tag=x',
			'Callee-ID-Name': undefined,
		});
		expect(trigger.executions).toMatchObject([
			[
				{
					callType: 'internal',
					employee: '171',
					details: {
						from: '171',
						fromName: 'IVANOVA MA',
						to: '101',
						fromUri: '171 (IVANOVA MA)',
						toName: 'Ann Berg',
						toUri: '"Ann Berg" <sip:101@company.example;user=phone>;tag=x',
					},
				},
			],
		]);
	});

	it.each<[string, IDataObject]>([
		['a device placed it', { 'Custom-Channel-Vars': { 'Authorizing-ID': 'd1' } }],
		['a user placed it', { 'Custom-Channel-Vars': { 'Owner-ID': 'u1' } }],
		['an extension placed it', { 'Caller-ID-Number': '101' }],
	])('never count a call that nobody answered as missed: %s', async (_, changes) => {
		const trigger = await active({ events: ['missed'] });
		await deliver(trigger, changes);
		expect(trigger.executions).toEqual([]);
		trigger.setParameters({ events: ['ended'] });
		await deliver(trigger, { ...changes, 'Msg-ID': 'again' });
		expect(trigger.executions).toMatchObject([[{ outcome: 'noAnswer', missed: false }]]);
	});

	it.each(['bridge_id', 'Other-Leg-Call-ID', 'authorizing_id', 'args[Call-ID]'])(
		'cannot be spoilt by custom data: %s is refused',
		async (key) => {
			const trigger = await bench.trigger({ options: { customData: { [key]: 'x' } } });
			await expect(trigger.activate()).rejects.toThrow(`must not contain the key "${key}"`);
		},
	);

	it.each([0, '0', '', ' ', 1.5, -1, 5, true, [2], {}, 'two'])(
		'are never asked for with a number of tries that is none: %j',
		async (retries) => {
			const trigger = await bench.trigger({ options: { retries } as IDataObject });
			await expect(trigger.activate()).rejects.toThrow(
				'Delivery Attempts must be a whole number from 1 to 4',
			);
			expect(bench.hooks(trigger)).toEqual([]);
		},
	);
});
