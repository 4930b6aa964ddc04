import type { IDataObject } from 'n8n-workflow';

import { happening, settingsOf, START, World } from './world';
import type { Happening } from './world';

const MINUTE = 60_000;

const leg = (at: number, id: string, more: IDataObject = {}): Happening =>
	happening(at, { BRIDGE_ID: id, CALL_DIRECTION: 'outbound', ...more });
const inbound = (at: number, id: string) => leg(at, id, { CALL_DIRECTION: 'inbound' });
const worldOf = (...happenings: Happening[]) =>
	new World(happenings, settingsOf({ kind: 'newCall' }));

/** Polls every minute; gives each call's minute. */
async function minutesOf(world: World, minutes: number): Promise<Record<string, number>> {
	const given: Record<string, number> = {};
	for (let minute = 0; minute <= minutes; minute++) {
		world.now = START + minute * MINUTE;
		for (const { json } of await world.poll()) {
			expect(given).not.toHaveProperty([String(json.callId)]);
			given[String(json.callId)] = minute;
		}
	}
	return given;
}

describe('calls that have only outbound records', () => {
	it('are given after the settle time where earlier calls had none either', async () => {
		const past = [300, 500, 700, 5000].map((minute) => leg(START - minute * MINUTE, `${minute}`));
		const world = worldOf(...past, leg(START + 5 * MINUTE, 'new'));
		expect(await minutesOf(world, 10)).toEqual({ new: 5 });
	});

	it('are given at once where they are both ends of one talk: by the time of their end, or by name', async () => {
		const ids = (own: string, other: string) => ({ call_id: own, other_leg_call_id: other });
		const world = worldOf(
			leg(START + 3 * MINUTE, 'talk'),
			leg(START + 3 * MINUTE + 2000, 'talk', { CALLEE_ID_NUMBER: '79220000001' }),
			leg(START + 5 * MINUTE, 'named', { BILLING_SECONDS: '0', ...ids('1', '2') }),
			leg(START + 5 * MINUTE, 'named', { BILLING_SECONDS: '0', ...ids('2', '1') }),
		);
		const given = await minutesOf(world, 10);
		expect(given).toEqual({ talk: expect.any(Number), named: 5 });
		expect(given.talk).toBeLessThanOrEqual(4);
	});

	it('wait an hour as long as nothing tells whether the account has inbound legs', async () => {
		const silent = leg(START + MINUTE, 'silent', { BILLING_SECONDS: '0' });
		expect(await minutesOf(worldOf(silent), 70)).toEqual({ silent: 61 });
	});

	it('wait for their inbound leg again as soon as the account has such legs', async () => {
		const past = [300, 500, 700].map((minute) => leg(START - minute * MINUTE, `${minute}`));
		const world = worldOf(
			...past,
			leg(START + 5 * MINUTE, 'old'),
			inbound(START + 20 * MINUTE, 'first'),
			leg(START + 20 * MINUTE, 'first'),
			leg(START + 30 * MINUTE, 'second', { BILLING_SECONDS: '0' }),
			inbound(START + 55 * MINUTE, 'second'),
		);
		expect(await minutesOf(world, 60)).toEqual({ old: 5, first: 20, second: 55 });
	});

	it('do not make an account forget its inbound legs within some days', async () => {
		const alone = [10, 20, 30, 40, 50].map((minute) => leg(START + minute * MINUTE, `a${minute}`));
		const later = START + 300 * MINUTE;
		const world = worldOf(
			inbound(START - MINUTE, 'before'),
			...alone,
			leg(later, 'call', { BILLING_SECONDS: '0' }),
			inbound(later + 45 * MINUTE, 'call'),
		);
		const given = await minutesOf(world, 350);
		expect(given.call).toBe(345);
	});
});

describe('a poll whose time is over', () => {
	const DAY = 24 * 60 * MINUTE;

	it('gives what it has got, and the next one goes on', async () => {
		const days = Array.from({ length: 20 }, (_, day) =>
			inbound(START - day * DAY - MINUTE, `${day}`),
		);
		const settings = settingsOf({ firstRun: { kind: 'since', at: START - 25 * DAY } });
		const world = new World(days, settings);
		world.budgetMs = 30_000;
		world.answerMs = 12_000;
		const counts: number[] = [];
		for (let poll = 0; poll < 20; poll++, world.now += MINUTE) {
			const began = world.now;
			counts.push((await world.poll()).length);
			expect(world.now - began).toBeLessThanOrEqual(42_000);
		}
		expect(counts.filter(Boolean).length).toBeGreaterThan(4);
		expect(new Set(world.emitted.map(({ BRIDGE_ID }) => BRIDGE_ID)).size).toBe(20);
		expect(world.emitted).toHaveLength(20);
	});

	it('gives what earlier steps found when a later one fails', async () => {
		const days = [2, 1].map((day) => inbound(START - day * DAY, `${day}`));
		const settings = settingsOf({ firstRun: { kind: 'since', at: START - 3 * DAY } });
		const world = new World(days, settings);
		world.failNext = 2;
		expect((await world.poll()).length).toBe(1);
		await world.poll();
		expect(world.emitted.map(({ BRIDGE_ID }) => BRIDGE_ID)).toEqual(['2', '1']);
	});
});
