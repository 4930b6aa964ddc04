import type { IDataObject } from 'n8n-workflow';

import { startedCall } from '../../nodes/VirtualPbx/actions/call/start.operation';
import { shownEmployee } from '../../nodes/VirtualPbx/actions/employee/getMany.operation';
import { callOfEvent, simplifyEvent } from '../../nodes/VirtualPbx/calls/event';
import { contactOf, missedCallers } from '../../nodes/VirtualPbx/calls/missedCallers';
import { callOfRecords, simplifyCall, simplifyCdr } from '../../nodes/VirtualPbx/calls/record';
import { CallStatistics } from '../../nodes/VirtualPbx/calls/statistics';
import { Cdr } from '../../nodes/VirtualPbx/pbx/cdrs/cdr';
import type { Phones } from '../../nodes/VirtualPbx/pbx/employees';
import { readEvent } from '../../nodes/VirtualPbx/pbx/events/callEvent';
import { sampleOf } from '../../nodes/VirtualPbx/pbx/events/table';
import { answerOfSteps } from '../../nodes/VirtualPbx/pbx/pivot/answer';
import { simplifyRequest } from '../../nodes/VirtualPbx/pbx/pivot/request';
import { formatNumbers } from '../../nodes/VirtualPbx/util/phone';

const leg = (
	direction: string,
	callee: string,
	seconds: string,
	recording: IDataObject,
): IDataObject => ({
	CALL_DIRECTION: direction,
	BRIDGE_ID: '7f3a@198.51.100.7',
	CALLEE_ID_NUMBER: `sip:${callee}@company.pbx.example`,
	CALLER_ID_NUMBER: 'sip:12125550123@company.pbx.example',
	TIMESTAMP: '63962402400',
	BILLING_SECONDS: seconds,
	HANGUP_CAUSE: 'NORMAL_CLEARING',
	ACCOUNT_ID: '31f5a2d8',
	...recording,
});

const RECORDING = { REC_FILE: '7f3a.mp3', REC_LINK: 'https://pbx.example.com/records/' };
const INBOUND = new Cdr(leg('inbound', '12125550100', '75', RECORDING));
const OUTBOUND = new Cdr(leg('outbound', '100', '62', { REC_FILE: '', REC_LINK: '' }));

const REQUEST = {
	'Call-ID': '7f3a@198.51.100.7',
	From: '12125550123@company.pbx.example',
	To: '12125550100@company.pbx.example',
	'Caller-ID-Number': '12125550123',
	callflow_id: '5c2e',
};

/** Returns the event trigger's item for its sample of an ended call. */
function simpleEvent(): IDataObject {
	const read = readEvent({ ...sampleOf('ended', 63_962_402_400), crm: 'main' });
	if (!('event' in read)) throw new Error("The sample event isn't recognized as an event");
	const { event } = read;
	const call = callOfEvent(event, { standsForCall: true });
	return simplifyEvent({ event, call, standsForCall: true }, 'ended', { customKeys: ['crm'] });
}

function missedCaller(): IDataObject {
	const at = INBOUND.endedAt ?? 0;
	const rang = { ...INBOUND.original, BILLING_SECONDS: '0', HANGUP_CAUSE: 'NO_ANSWER' };
	const contacts = [contactOf(callOfRecords([new Cdr(rang)]), { at, isMissed: true })];
	return missedCallers(contacts, (number) => number)[0] ?? {};
}

function statistics(): IDataObject {
	const same = (number: string) => number;
	const clock = () => ({ day: '2026-11-20', weekday: 5, hour: 10 });
	const groupBy = ['weekday', 'employee'] as const;
	const rules = { groupBy, countVoicemail: true, clock, keyOf: same, shown: same };
	const counted = new CallStatistics(rules);
	const lost = { BILLING_SECONDS: '0', HANGUP_CAUSE: 'NO_ANSWER' };
	const back = { CALLER_ID_NUMBER: '100', CALLEE_ID_NUMBER: '12125550123' };
	const add = (at: number, isCounted: boolean, ...legs: Cdr[]) =>
		counted.add({ call: callOfRecords(legs), at, isCounted });
	const changed = ({ original }: Cdr, changes: IDataObject) => new Cdr({ ...original, ...changes });
	add(900_000, false, changed(OUTBOUND, back));
	add(0, true, changed(INBOUND, lost), changed(OUTBOUND, lost));
	add(0, true, INBOUND, OUTBOUND);
	return counted.items()[0] ?? {};
}

const STEPS = {
	step: [
		{ type: 'extension', extension: '100', timeout: 20 },
		{ type: 'voicemail', extension: '100' },
	],
};

const device = {
	id: '9f4c0b',
	name: 'Desk phone',
	username: 'user_101_1',
	type: 'sip_device',
	enabled: true,
	ownerId: '8d0f35',
};
const person = { extension: '101', name: 'Ann Berg', devices: [device] };
const phones: Phones = { at: ['devices', device.id], ...person };

/** Builds simplified items with the nodes' own code, by node or `resource:operation`. */
export function samples(): Record<string, IDataObject> {
	const items = {
		'call:get': simplifyCall([INBOUND, OUTBOUND]),
		'call:getMany': simplifyCall([INBOUND, OUTBOUND]),
		'call:getMissedCallers': missedCaller(),
		'call:getStatistics': statistics(),
		'call:start': startedCall(
			{ callId: '5c1e0a@198.51.100.7' },
			{ number: '+12125550123', phones },
		),
		'employee:getMany': shownEmployee({ id: '8d0f35', ...person, email: 'ann@example.com' }),
		'cdr:getMany': simplifyCdr(INBOUND),
		'routing:buildAnswer': answerOfSteps(STEPS).answer ?? {},
		virtualPbxTrigger: simpleEvent(),
		virtualPbxRoutingTrigger: {
			...simplifyRequest({ method: 'GET', query: REQUEST, body: undefined }),
			answerBefore: '2026-11-20T10:00:03.000Z',
		},
		virtualPbxRecordTrigger: simplifyCall([INBOUND, OUTBOUND]),
	};
	return Object.fromEntries(
		Object.entries(items).map(([name, item]) => [name, formatNumbers(item, 'US')]),
	);
}
