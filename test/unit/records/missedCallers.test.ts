import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { CallNote } from '../../../nodes/VirtualPbx/records/missedCallers';
import { missedCallers } from '../../../nodes/VirtualPbx/records/missedCallers';
import { OUTCOMES } from '../../../nodes/VirtualPbx/values/outcome';
import { toIso } from '../../../nodes/VirtualPbx/values/time';

const NOON = Date.UTC(2026, 10, 20, 12);
const LOST = ['busy', 'declined', 'failed', 'missed', 'voicemail'];
const bare = (number: string) => number.replace(/\D/g, '');

const number = fc.constantFrom('74951234567', '+7 495 123-45-67', '79161112233', '100', '101');
const notes = fc.array(
	fc.record<CallNote>({
		from: fc.option(fc.oneof(number, fc.constant('anonymous'))),
		fromName: fc.option(fc.constantFrom('Ann', 'Bob')),
		to: fc.option(number),
		direction: fc.constantFrom('inbound', 'outbound', ''),
		talkSeconds: fc.constantFrom(0, 0, 90, 600),
		rang: fc.array(number, { maxLength: 3 }),
		talkedWith: fc.array(number, { maxLength: 2 }),
		outcome: fc.constantFrom(...OUTCOMES.map(({ value }) => value)),
		employee: fc.option(fc.constantFrom('100', '101')),
		at: fc.option(
			fc.nat(20).map((minutes) => NOON + minutes * 60_000),
			{ nil: undefined, freq: 8 },
		),
		counts: fc.boolean(),
	}),
	{ maxLength: 14 },
);

/** What a person would do with a list of calls and a pencil. */
function byHand(all: CallNote[]): IDataObject[] {
	const isHidden = (from: string | null) => from === null || from === 'anonymous';
	const idOf = (from: string | null) => (isHidden(from) ? null : bare(from ?? ''));
	const isOut = ({ direction, from }: CallNote) =>
		direction === 'outbound' &&
		all.some(
			({ direction: way, to }) =>
				way === 'inbound' && to !== null && to.length > 3 && bare(to) === bare(from ?? ''),
		);
	const lost = all.filter(
		(note) =>
			note.counts &&
			LOST.includes(note.outcome) &&
			note.from !== '100' &&
			note.from !== '101' &&
			!(idOf(note.from) !== null && isOut(note)),
	);
	const ids = [...new Set(lost.map(({ from }) => idOf(from)))];
	return ids.map((id) => {
		const mine = lost.filter(({ from }) => idOf(from) === id);
		const times = mine.flatMap(({ at }) => at ?? []);
		const last = Math.max(...times);
		const later =
			id === null
				? []
				: all.filter(
						({ at, talkSeconds }) =>
							at !== undefined && at > last && at - talkSeconds * 1000 + 300_000 > last,
					);
		const isTo = (list: readonly string[]) => list.some((one) => bare(one) === id);
		const backs = later.filter(
			({ rang, talkedWith, outcome }) => outcome === 'answered' && isTo(rang) && isTo(talkedWith),
		);
		const tries = later.filter((note) => isTo(note.rang) && !backs.includes(note));
		const through = later.filter(
			({ outcome, from }) => outcome === 'answered' && from !== null && bare(from) === id,
		);
		const earliest = (list: CallNote[]) => Math.min(...list.map(({ at }) => at ?? NaN));
		const iso = (time: number) => (Number.isFinite(time) ? toIso(time) : null);
		const [back, came] = [earliest(backs), earliest(through)];
		const answered = back <= came ? 'calledBack' : 'cameThrough';
		return {
			id,
			status: backs.length + through.length === 0 ? 'open' : answered,
			missedCalls: mine.length,
			firstMissedAt: iso(Math.min(...times)),
			lastMissedAt: iso(last),
			calledBackAt: iso(back),
			cameThroughAt: iso(came),
			lastTriedAt: iso(Math.max(...tries.map(({ at }) => at ?? NaN))),
		};
	});
}

const call = (minute: number, more: Partial<CallNote>): CallNote => ({
	from: '74951234567',
	fromName: null,
	to: '74957654321',
	direction: 'inbound',
	talkSeconds: 0,
	rang: ['100'],
	talkedWith: [],
	outcome: 'missed',
	employee: null,
	at: NOON + minute * 60_000,
	counts: true,
	...more,
});
const callBack = (minute: number, more: Partial<CallNote> = {}) =>
	call(minute, {
		from: '101',
		employee: '101',
		rang: ['+7 495 1234567'],
		outcome: 'cancelled',
		counts: false,
		...more,
	});

describe('missed callers', () => {
	it('are those that a person would list with a pencil', () => {
		fc.assert(
			fc.property(notes, (all) => {
				const given = missedCallers(all, bare).map(
					({ from, ...rest }): IDataObject => ({
						...rest,
						id: from === null ? null : bare(String(from)),
						fromName: undefined,
						calledBackBy: undefined,
					}),
				);
				const order = (list: IDataObject[]) =>
					[...list].sort((a, b) => String(a.id).localeCompare(String(b.id)));
				expect(order(given)).toEqual(order(byHand(all)));
				const lasts = given.map(({ lastMissedAt }) => String(lastMissedAt ?? ''));
				expect(lasts).toEqual([...lasts].sort().reverse());
			}),
			{ numRuns: 500 },
		);
	});

	it('stand in the list with who called them back, and when', () => {
		const talk = { outcome: 'answered', talkedWith: ['+7 495 1234567'] } as const;
		expect(
			missedCallers(
				[
					call(0, { fromName: 'Ann' }),
					call(9, { outcome: 'busy' }),
					callBack(12, talk),
					callBack(11),
				],
				bare,
			),
		).toEqual([
			{
				from: '74951234567',
				fromName: 'Ann',
				status: 'calledBack',
				missedCalls: 2,
				firstMissedAt: '2026-11-20T12:00:00Z',
				lastMissedAt: '2026-11-20T12:09:00Z',
				calledBackAt: '2026-11-20T12:12:00Z',
				calledBackBy: '101',
				cameThroughAt: null,
				lastTriedAt: '2026-11-20T12:11:00Z',
			},
		]);
	});

	it.each([
		['a colleague who was not reached', [call(0, { from: '100' })]],
		['a call that was answered elsewhere', [call(0, { outcome: 'elsewhere' })]],
		['calls that do not count', [call(0, { counts: false })]],
	])('are not: %s', (_, all) => {
		expect(missedCallers(all, bare)).toEqual([]);
	});

	it('who hide their number stand as one, open', () => {
		const all = [call(0, { from: null }), call(1, { from: 'Anonymous' }), callBack(2)];
		expect(missedCallers(all, bare)).toMatchObject([
			{ from: null, status: 'open', missedCalls: 2, lastTriedAt: null },
		]);
	});
});
