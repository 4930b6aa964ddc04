import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../nodes/VirtualPbx/calls/missedCallers';
import { missedCallers } from '../../../nodes/VirtualPbx/calls/missedCallers';

const call = (minute: number, more: Partial<Contact> = {}): Contact => ({
	...{ callId: `call ${minute}`, number: '12125550123', name: undefined },
	...{ companyNumber: '12125550145', employee: undefined, talkSeconds: 0 },
	...{ isIncoming: true, isAnswered: false, isMissed: true },
	at: Date.UTC(2026, 10, 20, 12, minute),
	...more,
});
const callBack = (minute: number, isAnswered: boolean, more: Partial<Contact> = {}) => {
	const party = { number: '+1 212 5550123', employee: '101' };
	return call(minute, { ...party, isIncoming: false, isAnswered, isMissed: false, ...more });
};
const at = (minute: number) => `2026-11-20T12:${String(minute).padStart(2, '0')}:00Z`;
const listed = (all: Contact[]) => missedCallers(all, (number) => number.replace(/\D/g, ''));

// Who came through or was called back first is shown by test/contract/actions/month.test.ts.
describe('missed callers', () => {
	it.each<[string, Contact[], IDataObject]>([
		['a call back in vain', [call(0), callBack(1, false)], { status: 'open', lastTriedAt: at(1) }],
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
		[
			'calls of hidden numbers, who stand as one',
			[call(0), call(1), callBack(2, true)].map((one) => ({ ...one, number: undefined })),
			{ customerNumber: null, status: 'open', missedCalls: 2, lastTriedAt: null },
		],
	])('show what came after the last time: %s', (_, all, expected) => {
		for (const ordered of [all, [...all].reverse()])
			expect(listed(ordered)).toEqual([expect.objectContaining(expected)]);
	});

	it('stand in the list with the number that they called, and who called them back, and when', () => {
		const all = [call(0, { name: 'Ann' }), call(9), callBack(12, true), callBack(11, false)];
		const details = { numbers: [], nationalNumber: null, customerCountry: null };
		expect(listed(all)).toEqual([
			{
				...{ customerNumber: '12125550123', companyNumber: '12125550145', callId: 'call 9' },
				...{ status: 'calledBack', missedCalls: 2, lastMissedAt: at(9) },
				...{ calledBackAt: at(12), calledBackBy: '101', cameThroughAt: null, lastTriedAt: at(11) },
				details: { customerName: 'Ann', ...details, firstMissedAt: at(0) },
			},
		]);
	});
});
