import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../nodes/VirtualPbx/calls/missedCallers';
import { missedCallers } from '../../../nodes/VirtualPbx/calls/missedCallers';

const NOON = Date.UTC(2026, 10, 20, 12);
const bare = (number: string) => number.replace(/\D/g, '');

const call = (minute: number, more: Partial<Contact> = {}): Contact => ({
	callId: `call ${minute}`,
	number: '12125550123',
	name: undefined,
	companyNumber: '12125550145',
	employee: undefined,
	isIncoming: true,
	isAnswered: false,
	isMissed: true,
	talkSeconds: 0,
	at: NOON + minute * 60_000,
	...more,
});
const callBack = (minute: number, isAnswered: boolean, more: Partial<Contact> = {}) =>
	call(minute, {
		number: '+1 212 5550123',
		employee: '101',
		isIncoming: false,
		isAnswered,
		isMissed: false,
		...more,
	});
const comeThrough = (minute: number) => call(minute, { isAnswered: true, isMissed: false });
const at = (minute: number) => `2026-11-20T12:${String(minute).padStart(2, '0')}:00Z`;

describe('missed callers', () => {
	it.each<[string, Contact[], IDataObject]>([
		['nothing came after', [call(0), call(9)], { status: 'open', missedCalls: 2 }],
		['a call back in vain', [call(0), callBack(1, false)], { status: 'open', lastTriedAt: at(1) }],
		['a call back before', [call(5), callBack(1, true)], { status: 'open', calledBackAt: null }],
		[
			'two calls back',
			[call(0), callBack(4, true), callBack(3, true)],
			{ status: 'calledBack', calledBackAt: at(3) },
		],
		[
			'they came through first',
			[call(0), comeThrough(3), callBack(4, true)],
			{ status: 'cameThrough', cameThroughAt: at(3), calledBackAt: at(4) },
		],
		[
			'they were called back first',
			[call(0), comeThrough(4), callBack(3, true)],
			{ status: 'calledBack' },
		],
		[
			'a talk that began more than five minutes before',
			[call(10), callBack(11, true, { talkSeconds: 600 })],
			{ status: 'open', calledBackAt: null },
		],
		[
			'a talk that may have begun later, as far as the PBX tells',
			[call(10), callBack(11, true, { talkSeconds: 300 })],
			{ status: 'calledBack' },
		],
		[
			'a call back, and no time of the missed call',
			[call(0, { at: -Infinity }), callBack(1, true)],
			{ status: 'calledBack', lastMissedAt: null },
		],
		[
			'a call of another number',
			[call(0), callBack(1, true, { number: '100' })],
			{ status: 'open' },
		],
	])('show what came after the last time: %s', (_, all, expected) => {
		expect(missedCallers(all, bare)).toEqual([expect.objectContaining(expected)]);
		expect(missedCallers([...all].reverse(), bare)).toEqual([expect.objectContaining(expected)]);
	});

	it('stand in the order of their last missed calls, the latest first', () => {
		const all = [call(5, { number: '1' }), call(9, { number: '2' }), call(0, { number: '3' })];
		const callers = missedCallers([...all, call(7, { number: '3' })], bare);
		expect(callers.map(({ customerNumber }) => customerNumber)).toEqual(['2', '3', '1']);
	});

	it('stand in the list with the number that they called, and who called them back, and when', () => {
		const all = [call(0, { name: 'Ann' }), call(9), callBack(12, true), callBack(11, false)];
		expect(missedCallers(all, bare)).toEqual([
			{
				customerNumber: '12125550123',
				companyNumber: '12125550145',
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
					numbers: [],
					nationalNumber: null,
					customerCountry: null,
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
});
