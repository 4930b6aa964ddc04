import type { IDataObject } from 'n8n-workflow';
import { getGlobalState, setGlobalState } from 'n8n-workflow';

import type { Settings } from '../../../sandbox';
import { COMPANIES, seedOf } from '../../support/allCalls/company';
import { callDrawer } from '../../support/allCalls/draw';
import type { Company } from '../../support/allCalls/company';
import { asPastCall, missedCallersOf } from '../../support/allCalls/truth';
import { countCalls } from '../../support/history/figures';
import type { Grouping } from '../../support/history/figures';
import type { PastCall } from '../../support/history/calls';
import { only } from '../../support/corpus';
import { randomOf } from '../../support/random';
import { IS_RELEASE, times } from '../../support/release';
import { startPbx } from '../../support/sandbox';
import type { PbxUnderTest } from '../../support/sandbox';

const ZONE = 'Europe/Berlin';
const DAY = 24 * 3600;
/** October in Berlin, whose clocks are set back on the 25th. */
const FROM = Date.UTC(2026, 8, 30, 22) / 1000;
const TO = Date.UTC(2026, 9, 31, 23) / 1000;
const range = { period: 'range', after: '2026-10-01', before: '2026-11-01' };
/** Midnights, and when the clocks are set back: some calls end about then. */
const EDGES = [FROM, TO, Date.UTC(2026, 9, 24, 22) / 1000, Date.UTC(2026, 9, 25, 1) / 1000];
const SEED = IS_RELEASE ? Date.now() : 26;

const before = getGlobalState();
beforeAll(() => setGlobalState({ defaultTimezone: ZONE }));
afterAll(() => setGlobalState(before));

let pbx: PbxUnderTest;
afterEach(async () => await pbx.sandbox.close());

/** Places calls of all kinds from a week before the month until one after it. Returns what happened in them. */
async function placeMonth(company: Company, seed: number, machines: boolean): Promise<PastCall[]> {
	const random = randomOf(seed);
	const draw = callDrawer(random, company);
	const placed: Array<{ id: string; at: number }> = [];
	for (let index = 0; index < times(500, 6000); index++) {
		const order = draw();
		const { ring_seconds: rings = 0, talk_seconds: talks = 0 } = order;
		const edge = EDGES[Math.floor(random() * 40)];
		const at =
			edge === undefined
				? Math.floor(FROM - 7 * DAY + random() * (TO - FROM + 14 * DAY))
				: edge - rings - talks + Math.floor(random() * 5) - 2;
		// A small PBX uses a Call-ID again, hours later.
		const old = random() < 0.03 ? placed[Math.floor(random() * placed.length)] : undefined;
		const isFar = placed.every((one) => one.id !== old?.id || Math.abs(one.at - at) > 4 * 3600);
		const again = old && isFar ? { call_id: old.id } : {};
		const { first } = await pbx.sandbox.call({ ...order, ...again, at } as never);
		placed.push({ id: first.callId, at });
	}
	const truths = pbx.sandbox.exchange.truths();
	expect(truths).toHaveLength(placed.length);
	return truths.map((truth) => asPastCall(truth, machines));
}

const byText = (items: IDataObject[]) => items.map((item) => JSON.stringify(item)).sort();

const digitsIn = (value: unknown) => (typeof value === 'string' ? value.replace(/\D/g, '') : null);

describe.each<[Partial<Settings>, number]>([
	[{ profile: 'contract' }, 0],
	[{ profile: 'field', legs: 'both' }, 1],
	[{ profile: 'kazoo' }, 2],
])('a month of calls of all kinds on %p', (settings, place) => {
	const company = COMPANIES[place] as Company;
	const seed = SEED + place;
	const machines = settings.profile === 'kazoo';

	it(
		'has the missed callers and the figures of what happened',
		async () => {
			pbx = await startPbx({ seed: seedOf(company), settings });
			const calls = await placeMonth(company, seed, machines);
			const items = await pbx.items('call:getMissedCallers', { ...range, returnAll: true });
			const expected = missedCallersOf(calls, FROM, TO);
			const shown = items.map(({ customerNumber, ...item }) => ({
				...only(item, expected[0] ?? {}),
				customer: digitsIn(customerNumber),
			}));
			expect([seed, byText(shown)]).toEqual([seed, byText(expected)]);
			for (const groupBy of [
				[],
				['callType', 'outcome'],
				['employee', 'callType'],
				['companyNumber'],
				['day'],
				['weekday', 'hour'],
			] as Grouping[][]) {
				const groups = await pbx.items('call:getStatistics', { ...range, groupBy });
				const truth = countCalls(calls, { groupBy, timeZone: ZONE, from: FROM, to: TO });
				expect({ seed, groupBy, groups: byText(groups) }).toEqual({
					seed,
					groupBy,
					groups: byText(truth),
				});
			}
		},
		IS_RELEASE ? 600_000 : 300_000,
	);
});
