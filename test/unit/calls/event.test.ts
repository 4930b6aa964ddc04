import type { IDataObject } from 'n8n-workflow';

import { isReservedName, TAG_NAME } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { EVENTS, sampleOf } from '../../../nodes/VirtualPbx/pbx/events/table';
import { selectEvent } from '../../../nodes/VirtualPbx/triggers/callEvent/select';
import { FIELDS } from '../../../sandbox/events/fields';
import { readCorpus } from '../../support/corpus';
import { eventCall, itemOf, parsedEvent } from '../../support/events/arbitraries';

function simplified(entry: unknown, keys: string[] = []): IDataObject & { details: IDataObject } {
	const place = { standsForCall: true, customKeys: keys };
	return itemOf(parsedEvent(entry), 'ended', place) as IDataObject & {
		details: IDataObject;
	};
}

const ANY = { countVoicemail: true };
const SAMPLE = sampleOf('ended', 63_962_437_458);

describe('the simplified event', () => {
	it('reads a call that has ended', () => {
		expect(
			simplified({ ...SAMPLE, custom_data: { office: 'Riga', [TAG_NAME]: 'ab'.repeat(32) } }),
		).toEqual({
			event: 'ended',
			callType: 'incoming',
			outcome: 'answered',
			missed: false,
			customerNumber: '12125550123',
			employee: '101',
			companyNumber: '12125550100',
			at: '2026-11-20T23:45:36Z',
			talkSeconds: 72,
			callId: '4f9a1c3e7b2d4a6f@192.0.2.10',
			details: {
				summary: 'Incoming call answered by employee 101, lasted 1 min 12 s',
				legId: '4f9a1c3e7b2d4a6f@192.0.2.10',
				leg: 'first',
				otherLegId: '8c2e5d7a9b1f4e3c@192.0.2.10',
				from: '12125550123',
				fromName: 'Olga Stein',
				fromUri: '12125550123',
				to: '12125550100',
				toName: 'Ann Berg',
				toUri: 'sip:12125550100@company.example',
				customerName: 'Olga Stein',
				customerHidden: false,
				numbers: [],
				nationalNumber: null,
				customerCountry: null,
				employeeName: 'Ann Berg',
				employees: [{ employee: '101', talkSeconds: 72 }],
				state: 'hangup',
				startedAt: '2026-11-20T23:44:18Z',
				endedAt: '2026-11-20T23:45:36Z',
				timestamp: 63_962_437_536,
				ringingSeconds: 6,
				billingSeconds: 72,
				durationSeconds: 78,
				hangupCause: 'NORMAL_CLEARING',
				hangupCode: 200,
				hangupReason: 'Ended normally',
				accountId: '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
				ownerId: null,
				deviceId: null,
				messageId: 'sample-ended-63962437458',
				customData: { office: 'Riga' },
			},
		});
	});

	it('finds the own custom data among the channel variables, too', () => {
		const vars = { ...(SAMPLE.args['Custom-Channel-Vars'] as object), office: 'Riga' };
		const args = { ...SAMPLE.args, 'Custom-Channel-Vars': vars };
		expect(simplified(args, ['office']).details.customData).toEqual({ office: 'Riga' });
	});

	it('gives no custom data that would become its prototype', () => {
		const args = { ...SAMPLE.args, custom_data: '{"office":"Riga","__proto__":{"x":1}}' };
		const { customData } = simplified(args, ['__proto__']).details;
		expect(customData).toEqual({ office: 'Riga' });
		expect(Object.getPrototypeOf(customData)).toBe(Object.prototype);
	});
});

describe('the samples', () => {
	it('have every field of §6 between them, so that none can be taken for custom data', () => {
		expect(FIELDS.filter(({ field }) => !isReservedName(field))).toEqual([]);
		const types = Object.entries(SAMPLE.args).map(([field, value]) => [field, typeof value]);
		const expected = FIELDS.map(({ field, type }) => [field, type === 'integer' ? 'number' : type]);
		expect(types.sort()).toEqual(expected.sort());
	});

	it('leave the names of the flat form to the PBX, too (seen in the field)', () => {
		const names = readCorpus('events').flatMap(({ body }) =>
			'args' in body ? [] : Object.keys(body),
		);
		const written = ['bridge_id', 'args[Call-ID]', 'Custom-Channel-Vars.Bridge-ID'];
		expect([...names, ...written].filter((name) => !isReservedName(name))).toEqual([]);
		expect(['office', 'tenant', 'bridge'].filter(isReservedName)).toEqual([]);
	});

	it.each(EVENTS)('show $name as the PBX would send it', ({ value, eventName }) => {
		const sample = sampleOf(value, 63_962_437_458);
		expect(sample).toMatchObject({ name: eventName, args: { 'Event-Name': eventName } });
		const chosen = { events: [value], legs: 'oncePerCall', filters: ANY } as const;
		expect(selectEvent(eventCall(parsedEvent(sample)), { ...chosen, events: [value] })).toEqual({
			chosen: value,
		});
	});
});
