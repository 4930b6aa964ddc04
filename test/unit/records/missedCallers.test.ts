import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { CallNote } from '../../../nodes/VirtualPbx/records/missedCallers';
import { missedCallers, noteOf } from '../../../nodes/VirtualPbx/records/missedCallers';
import { callOfRecords } from '../../../nodes/VirtualPbx/records/output';
import { toIso } from '../../../nodes/VirtualPbx/values/time';
import { CALL_TABLE, recordsOf } from '../../support/callTable';

const NOON = Date.UTC(2026, 10, 20, 12);
const bare = (number: string) => number.replace(/\D/g, '');

const number = fc.constantFrom('74951234567', '+7 495 123-45-67', '79161112233');
const notes = fc.array(
	fc
		.record<CallNote>({
			callId: fc.constantFrom('a', 'b'),
			number: fc.option(number, { nil: undefined }),
			name: fc.option(fc.constantFrom('Ann', 'Bob'), { nil: undefined }),
			companyNumber: fc.constantFrom('74950000100', undefined),
			employee: fc.constantFrom('100', '101', undefined),
			isIncoming: fc.boolean(),
			isAnswered: fc.boolean(),
			isMissed: fc.boolean(),
			talkSeconds: fc.constantFrom(0, 0, 90, 600),
			at: fc.oneof(
				{ weight: 8, arbitrary: fc.nat(20).map((minutes) => NOON + minutes * 60_000) },
				{ weight: 1, arbitrary: fc.constant(-Infinity) },
			),
		})
		.map((note) => ({
			...note,
			isMissed: note.isMissed && note.isIncoming && !note.isAnswered,
		})),
	{ maxLength: 14 },
);

/** What a person would do with a list of calls and a pencil. */
function byHand(all: CallNote[]): IDataObject[] {
	const idOf = ({ number: own }: CallNote) => (own === undefined ? null : bare(own));
	const lost = all.filter(({ isMissed }) => isMissed);
	return [...new Set(lost.map(idOf))].map((id) => {
		const mine = lost.filter((note) => idOf(note) === id);
		const times = mine.map(({ at }) => at).filter(Number.isFinite);
		const last = Math.max(...times);
		const later = all.filter(
			(note) =>
				id !== null &&
				idOf(note) === id &&
				Number.isFinite(note.at) &&
				note.at > last &&
				note.at - note.talkSeconds * 1000 + 300_000 > last,
		);
		const out = later.filter(({ isIncoming }) => !isIncoming);
		const backs = out.filter(({ isAnswered }) => isAnswered);
		const through = later.filter(({ isIncoming, isAnswered }) => isIncoming && isAnswered);
		const tries = out.filter(({ isAnswered }) => !isAnswered);
		const earliest = (list: CallNote[]) => Math.min(...list.map(({ at }) => at));
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
			lastTriedAt: iso(Math.max(...tries.map(({ at }) => at))),
		};
	});
}

const call = (minute: number, more: Partial<CallNote> = {}): CallNote => ({
	callId: `call ${minute}`,
	number: '74951234567',
	name: undefined,
	companyNumber: '74957654321',
	employee: undefined,
	isIncoming: true,
	isAnswered: false,
	isMissed: true,
	talkSeconds: 0,
	at: NOON + minute * 60_000,
	...more,
});
const callBack = (minute: number, isAnswered: boolean) =>
	call(minute, {
		number: '+7 495 1234567',
		employee: '101',
		isIncoming: false,
		isAnswered,
		isMissed: false,
	});

describe('missed callers', () => {
	it('are those that a person would list with a pencil', () => {
		fc.assert(
			fc.property(notes, (all) => {
				const given = missedCallers(all, bare).map((caller): IDataObject => {
					const { customerNumber, details, status, missedCalls, lastMissedAt } = caller;
					const { calledBackAt, cameThroughAt, lastTriedAt } = caller;
					const { firstMissedAt } = details as IDataObject;
					const id = customerNumber === null ? null : bare(String(customerNumber));
					const times = { firstMissedAt, lastMissedAt, calledBackAt, cameThroughAt, lastTriedAt };
					return { id, status, missedCalls, ...times };
				});
				const order = (list: IDataObject[]) =>
					[...list].sort((a, b) => String(a.id).localeCompare(String(b.id)));
				expect(order(given)).toEqual(order(byHand(all)));
				const lasts = given.map(({ lastMissedAt }) => String(lastMissedAt ?? ''));
				expect(lasts).toEqual([...lasts].sort().reverse());
			}),
			{ numRuns: 500 },
		);
	});

	it('stand in the list with the number that they called, and who called them back, and when', () => {
		const all = [call(0, { name: 'Ann' }), call(9), callBack(12, true), callBack(11, false)];
		expect(missedCallers(all, bare)).toEqual([
			{
				customerNumber: '74951234567',
				companyNumber: '74957654321',
				status: 'calledBack',
				missedCalls: 2,
				lastMissedAt: '2026-11-20T12:09:00Z',
				calledBackAt: '2026-11-20T12:12:00Z',
				calledBackBy: '101',
				cameThroughAt: null,
				lastTriedAt: '2026-11-20T12:11:00Z',
				callId: 'call 9',
				details: {
					customerName: 'Ann',
					numbers: ['74951234567', '4951234567'],
					firstMissedAt: '2026-11-20T12:00:00Z',
				},
			},
		]);
	});

	it('who hide their number stand as one, open', () => {
		const hidden = { number: undefined };
		const all = [call(0, hidden), call(1, hidden), callBack(2, true)];
		expect(missedCallers(all, bare)).toMatchObject([
			{ customerNumber: null, status: 'open', missedCalls: 2, lastTriedAt: null },
		]);
	});

	it.each(CALL_TABLE.map((one) => [one.name, one] as const))(
		'are told by the same rule as the call "%s"',
		(_, { legs, told }) => {
			const whole = callOfRecords(recordsOf(legs, 'plain'));
			const note = noteOf(whole, { at: NOON, isMissed: whole.isMissed(true) === true });
			const callers = missedCallers([note], bare);
			expect(callers.map(({ customerNumber }) => customerNumber)).toEqual(
				told.missed ? [told.customerNumber] : [],
			);
		},
	);
});
