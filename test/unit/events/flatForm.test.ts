import type { IDataObject } from 'n8n-workflow';
import { readEntries } from '../../../nodes/VirtualPbx/events/payload';
import { isMissed } from '../../../nodes/VirtualPbx/events/outcome';
import { readEvent } from '../../../nodes/VirtualPbx/events/parse';
import { isReservedName } from '../../../nodes/VirtualPbx/events/reserved';
import { simplify } from '../../../nodes/VirtualPbx/events/simplify';

const OUTBOUND = {
	hook_event: 'channel_destroy',
	call_direction: 'outbound',
	timestamp: '63962437536',
	account_id: '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
	owner_id: 'owner-1',
	authorizing_id: 'device-1',
	authorizing_type: 'device',
	request: 'ivanova@company.example',
	to: '171@company.example',
	from: '74951234567@company.example',
	inception: '74950000100@carrier.example',
	call_id: 'leg-b@192.0.2.10',
	other_leg_call_id: 'leg-a@192.0.2.10',
	caller_id_name: 'Olga Stein',
	caller_id_number: '74951234567',
	callee_id_name: 'Ann Berg',
	callee_id_number: '171',
	reseller_id: 'reseller-1',
	local_resource_used: 'true',
	call_forwarded: 'false',
	hangup_cause: 'NORMAL_CLEARING',
	hangup_code: 'sip:200',
	duration_seconds: '78',
	ringing_seconds: '6',
	billing_seconds: '72',
};

function parsed(fields: IDataObject) {
	const raw = new URLSearchParams(fields as Record<string, string>).toString();
	const read = readEntries({ raw, parsed: fields });
	if ('refusal' in read) throw new Error(read.refusal.reason);
	const result = readEvent(read.entries[0]);
	if ('refusal' in result) throw new Error(result.refusal.reason);
	return result.event;
}

describe('a delivery in the flat form (seen in the field)', () => {
	it('gives every field of the output that it carries', () => {
		expect(simplify(parsed(OUTBOUND), 'ended', [])).toEqual({
			event: 'ended',
			outcome: 'answered',
			direction: 'outbound',
			from: '74951234567',
			fromName: 'Olga Stein',
			to: '171',
			employee: 'ivanova',
			at: '2026-11-20T23:45:36Z',
			talkSeconds: 72,
			callId: 'leg-b@192.0.2.10',
			details: {
				bridgeId: 'leg-a@192.0.2.10',
				leg: 'other',
				toName: 'Ann Berg',
				fromUri: '74951234567',
				toUri: '171',
				internal: false,
				state: null,
				answered: true,
				answeredByExchange: false,
				answeredElsewhere: false,
				missed: false,
				startedAt: '2026-11-20T23:44:18Z',
				timestamp: 63_962_437_536,
				ringingSeconds: 6,
				durationSeconds: 78,
				hangupCause: 'NORMAL_CLEARING',
				hangupCode: 200,
				hangupReason: 'Ended normally',
				otherLegCallId: 'leg-a@192.0.2.10',
				accountId: '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
				ownerId: 'owner-1',
				deviceId: 'device-1',
				messageId: null,
				customData: {},
			},
		});
	});

	it('tells a missed call from one that a colleague placed', () => {
		const { owner_id: _o, authorizing_id: _a, authorizing_type: _t, ...rest } = OUTBOUND;
		const missed = {
			...rest,
			call_direction: 'inbound',
			call_id: 'leg-a@192.0.2.10',
			other_leg_call_id: 'leg-b@192.0.2.10',
			billing_seconds: '0',
			hangup_cause: 'ORIGINATOR_CANCEL',
		};
		expect(isMissed(parsed(missed))).toBe(true);
		expect(simplify(parsed(missed), 'missed', [])).toMatchObject({
			outcome: 'missed',
			employee: null,
			details: { bridgeId: 'leg-a@192.0.2.10', leg: 'first' },
		});
		expect(isMissed(parsed({ ...missed, authorizing_type: 'resource', authorizing_id: 'x' }))).toBe(
			true,
		);
		expect(isMissed(parsed({ ...missed, authorizing_id: 'device-1' }))).toBe(false);
		expect(isMissed(parsed({ ...missed, owner_id: 'owner-1' }))).toBe(false);
		expect(isMissed(parsed({ ...missed, call_direction: 'outbound' }))).toBe(false);
	});

	it('cannot be mistaken for another by custom data: each of its names is reserved', () => {
		const names = [...Object.keys(OUTBOUND), 'bridge_id', 'Bridge-ID', 'msg_id', 'answer_state'];
		expect(names.filter((name) => !isReservedName(name))).toEqual([]);
		expect(isReservedName('args[Call-ID]')).toBe(true);
		expect(isReservedName('Custom-Channel-Vars.Bridge-ID')).toBe(true);
		expect(['office', 'tenant', 'bridge'].filter(isReservedName)).toEqual([]);
	});
});
