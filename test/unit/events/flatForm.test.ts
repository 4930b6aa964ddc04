import type { IDataObject } from 'n8n-workflow';
import { readEntries } from '../../../nodes/VirtualPbx/events/payload';
import { isReservedName } from '../../../nodes/VirtualPbx/events/reserved';
import { simplifyEvent } from '../../../nodes/VirtualPbx/events/output';
import { parsedEvent } from '../../support/events/arbitraries';

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

const { owner_id: _owner, authorizing_id: _id, authorizing_type: _type, ...UNNAMED } = OUTBOUND;
const MISSED = {
	...UNNAMED,
	call_direction: 'inbound',
	call_id: 'leg-a@192.0.2.10',
	other_leg_call_id: 'leg-b@192.0.2.10',
	billing_seconds: '0',
	hangup_cause: 'ORIGINATOR_CANCEL',
};

function parsed(fields: IDataObject) {
	const raw = new URLSearchParams(fields as Record<string, string>).toString();
	const read = readEntries({ raw, parsed: fields });
	if ('refusal' in read) throw new Error(read.refusal.reason);
	return parsedEvent(read.entries[0]);
}

describe('a delivery in the flat form (seen in the field)', () => {
	it('gives every field of the output that it carries', () => {
		expect(simplifyEvent(parsed(OUTBOUND), 'ended')).toMatchObject({
			...{ callType: 'incoming', outcome: 'answered', missed: false, employee: '171' },
			...{ customerNumber: '74951234567', companyNumber: '74950000100', talkSeconds: 72 },
			...{ at: '2026-11-20T23:45:36Z', callId: 'leg-a@192.0.2.10' },
			details: {
				...{ legId: 'leg-b@192.0.2.10', leg: 'other', otherLegId: 'leg-a@192.0.2.10' },
				...{ fromName: 'Olga Stein', toName: 'Ann Berg', startedAt: '2026-11-20T23:44:18Z' },
				...{ ringingSeconds: 6, billingSeconds: 72, durationSeconds: 78, hangupCode: 200 },
				...{ ownerId: 'owner-1', deviceId: 'device-1', state: null, messageId: null },
			},
		});
	});

	it('tells a missed call from one that a colleague placed', () => {
		const told = (more: IDataObject) =>
			simplifyEvent(parsed({ ...MISSED, ...more }), 'ended') as IDataObject;
		const missed = { callType: 'incoming', outcome: 'noAnswer', missed: true, employee: null };
		expect(told({})).toMatchObject({ ...missed, callId: 'leg-a@192.0.2.10' });
		expect(told({ authorizing_type: 'resource', authorizing_id: 'x' }).missed).toBe(true);
		expect(told({ authorizing_id: 'device-1' }).missed).toBe(false);
		expect(told({ owner_id: 'owner-1' }).missed).toBe(false);
		expect(told({ call_direction: 'outbound' }).missed).toBeNull();
	});

	it('cannot be mistaken for another by custom data: each of its names is reserved', () => {
		const names = [...Object.keys(OUTBOUND), 'bridge_id', 'Bridge-ID', 'msg_id', 'answer_state'];
		expect(names.filter((name) => !isReservedName(name))).toEqual([]);
		expect(isReservedName('args[Call-ID]')).toBe(true);
		expect(isReservedName('Custom-Channel-Vars.Bridge-ID')).toBe(true);
		expect(['office', 'tenant', 'bridge'].filter(isReservedName)).toEqual([]);
	});
});
