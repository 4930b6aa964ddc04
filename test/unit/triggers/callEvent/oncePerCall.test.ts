import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { CallEvent } from '../../../../nodes/VirtualPbx/pbx/events/callEvent';
import { legRoleOf } from '../../../../nodes/VirtualPbx/triggers/callEvent/select';
import { flattened } from '../../../support/callTable';
import { parsedEvent } from '../../../support/events/arbitraries';
import { eventSettings } from '../../../support/trigger/settings';
import { itemsOf } from '../../support/deliveries';

const SETTINGS = eventSettings({ events: ['started', 'answered', 'ended'] });

/** Delivers events to a new trigger; gives what starts its workflow. */
const started = async (events: IDataObject[], settings = SETTINGS) =>
	(await itemsOf(events, settings)).map(
		({ event, details }) => `${String(event)} ${String((details as IDataObject).legId)}`,
	);

/** One leg of a call without an inbound leg, ended. */
function leg(id: string, changes: IDataObject = {}): IDataObject {
	return {
		'Event-Name': 'CHANNEL_DESTROY',
		'Call-ID': id,
		'Call-Direction': 'outbound',
		'Msg-ID': `message of ${id}`,
		...changes,
	};
}
const naming = (other: string, direction?: string) => ({
	'Other-Leg-Call-ID': other,
	'Other-Leg-Direction': direction,
});
const bridge = (id: string) => ({ 'Custom-Channel-Vars': { 'Bridge-ID': id } });
const NAMES = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_DESTROY'];

describe('a call with an inbound leg', () => {
	const stagesOf = (phones: string[], vars: IDataObject) =>
		NAMES.flatMap((name) => {
			const of = (id: string) => ({ 'Event-Name': name, 'Msg-ID': `${name} of ${id}`, ...vars });
			const other = name === 'CHANNEL_DESTROY' ? naming(String(phones[0]), 'outbound') : {};
			return [
				leg('i', { ...of('i'), ...other, 'Call-Direction': 'inbound' }),
				...phones.map((phone) => leg(phone, { ...of(phone), ...naming('i', 'inbound') })),
			];
		});
	const forms = fc.constantFrom((args: IDataObject) => args, flattened);
	const variables = fc.constantFrom(bridge('i'), { 'Custom-Channel-Vars': { Realm: 'r' } });

	it('is told by it, once for each kind, in any order and with repeats', async () => {
		const seeds = fc.infiniteStream(fc.nat());
		await fc.assert(
			fc.asyncProperty(variables, forms, fc.nat(3), seeds, async (vars, form, more, seed) => {
				const phones = Array.from({ length: more + 1 }, (_, at) => `phone-${at}`);
				const events = stagesOf(phones, vars).map(form);
				const shuffled = [...events, ...events]
					.map((event) => ({ event, at: seed.next().value }))
					.sort((a, b) => a.at - b.at);
				const told = await started(shuffled.map(({ event }) => event));
				expect(told.sort()).toEqual(['answered', 'ended', 'started'].map((value) => `${value} i`));
			}),
		);
	});

	it('stays one when an attended transfer connects the outbound legs of two calls', async () => {
		const inbound = (id: string) => leg(id, { 'Call-Direction': 'inbound', ...bridge(id) });
		const events = [
			inbound('i1'),
			inbound('i2'),
			leg('x1', { ...naming('x2', 'outbound'), ...bridge('i1') }),
			leg('x2', { ...naming('x1', 'outbound'), ...bridge('i2') }),
		];
		expect(await started(events)).toEqual(['ended i1', 'ended i2']);
	});

	it('is told as missed, too, although its outbound leg does not name it', async () => {
		const missed = { ...bridge('i'), 'Billing-Seconds': '0', 'Hangup-Cause': 'NO_ANSWER' };
		const inbound = leg('i', { 'Call-Direction': 'inbound', ...missed });
		const settings = eventSettings({ events: ['missed', 'ended'] });
		expect(await started([leg('x', bridge('i')), inbound], settings)).toContain('missed i');
	});
});

describe('two legs that say whatever they may of each other', () => {
	type Side = 'inbound' | 'outbound';
	const [MINE, OFFICE, OUTSIDE, MOBILE] = ['a', '101', '12125550181', '17185550102'];

	/** All combinations of some values per name. */
	const combined = (choices: Record<string, unknown[]>): IDataObject[] =>
		Object.entries(choices).reduce<IDataObject[]>(
			(all, [name, values]) =>
				all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }) as IDataObject)),
			[{}],
		);

	/** What the event of a leg may hold: each fact, or not; a direction that is told is true. */
	const said = (id: string, other: string, [own, others]: [Side, Side], bridges: unknown[]) =>
		combined({
			'Call-ID': [id],
			'Call-Direction': [own, undefined],
			'Other-Leg-Call-ID': [other, undefined],
			'Other-Leg-Direction': [others, undefined],
			bridge: bridges,
			'Other-Leg-Destination-Number': [undefined, OFFICE, OUTSIDE, MOBILE],
			'Callee-ID-Number': [undefined, OFFICE, OUTSIDE],
			Request: [undefined, OFFICE, MOBILE],
		}).map(({ bridge: id, ...fields }) => ({
			...fields,
			...(id === undefined ? {} : bridge(id as string)),
		}));

	/** One event for each role and what else decides: which legs it names. */
	const distinct = (events: IDataObject[]) => [
		...new Map(
			events.map((event) => {
				const { otherLegId, bridgeId, direction } = parsedEvent(event);
				const role = legRoleOf(parsedEvent(event));
				return [JSON.stringify([role, otherLegId, bridgeId, direction]), event] as const;
			}),
		).values(),
	];

	/** How often they may start the workflow: legs of which nothing says that they are of one call are two calls. */
	const mostOf = (one: CallEvent, two: CallEvent) => {
		const isNamed = [one.otherLegId, one.bridgeId].includes(two.callId);
		const isNaming = [two.otherLegId, two.bridgeId].includes(one.callId);
		const isShared = one.bridgeId !== undefined && one.bridgeId === two.bridgeId;
		return isNamed || isNaming || isShared ? 1 : 2;
	};
	/** By the Bridge-ID, which ties the legs of a call together (§6), they are not of one call. */
	const areApart = ({ bridgeId: one = '' }: CallEvent, { bridgeId: two = '' }: CallEvent) =>
		one !== '' && two !== '' && one !== two;

	/** The orders in which a pair starts the workflow not at all, or too often. */
	const wrongOf = async (pair: IDataObject[]): Promise<string[]> => {
		const [one, two] = pair.map(parsedEvent);
		if (!one || !two || areApart(one, two)) return [];
		const wrong: string[] = [];
		for (const order of [pair, [...pair].reverse()]) {
			const { length } = await started(order);
			if (length === 0 || length > mostOf(one, two)) wrong.push(JSON.stringify([length, order]));
		}
		return wrong;
	};

	// With an inbound leg, a Bridge-ID is that of one (§6); without, it may be anybody's.
	it.each<[Side, Side, unknown[]]>([
		['outbound', 'outbound', [undefined, MINE, 'b', 'z']],
		['inbound', 'outbound', [undefined, MINE]],
		['outbound', 'inbound', [undefined, 'b']],
		['inbound', 'inbound', [undefined, MINE, 'b']],
	])('start the workflow once, in any order: %s and %s', async (own, other, bridges) => {
		const wrong: string[] = [];
		for (const name of NAMES) {
			const events = [
				said('a', 'b', [own, other], bridges),
				said('b', 'a', [other, own], bridges),
			].map((all) => distinct(all.map((event) => ({ ...event, 'Event-Name': name }))));
			const pairs = (events[0] ?? []).flatMap((one) => (events[1] ?? []).map((two) => [one, two]));
			for (const pair of pairs) wrong.push(...(await wrongOf(pair)));
		}
		expect(wrong).toEqual([]);
	});

	it('leave the end of a click-to-call to the leg to the outside number, in whatever process', () => {
		const roleOf = (id: string, to: string | undefined, dialed: string | undefined) => {
			const names = naming(id === 'a' ? 'b' : 'a', 'outbound');
			const numbers = { 'Callee-ID-Number': to, 'Other-Leg-Destination-Number': dialed };
			return legRoleOf(parsedEvent(leg(id, { ...names, ...numbers })));
		};
		for (const id of ['a', 'b']) {
			for (const dialed of [undefined, OFFICE, OUTSIDE])
				expect(roleOf(id, OUTSIDE, dialed)).toBe('standIn');
			expect(roleOf(id, OFFICE, OUTSIDE)).toBe('undecided');
		}
	});
});
