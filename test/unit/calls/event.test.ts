import type { IDataObject } from 'n8n-workflow';

import { isReservedName } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { EVENTS, sampleOf } from '../../../nodes/VirtualPbx/pbx/events/table';
import { selectEvent } from '../../../nodes/VirtualPbx/triggers/callEvent/select';
import { FIELDS } from '../../../sandbox/events/fields';
import { readCorpus } from '../../support/corpus';
import { eventCall, itemOf, parsedEvent } from '../../support/events/arbitraries';

/** The custom data in the item of an event. Its other fields are in docs/reference/virtual-pbx-trigger.md. */
function customDataOf(entry: unknown, customKeys: string[]): IDataObject {
	const { details } = itemOf(parsedEvent(entry), 'ended', { standsForCall: true, customKeys });
	return (details as IDataObject).customData as IDataObject;
}

const SAMPLE = sampleOf('ended', 63_962_437_458);

describe('custom data', () => {
	it('are also found among the channel variables', () => {
		const vars = { ...(SAMPLE.args['Custom-Channel-Vars'] as object), office: 'Riga' };
		const args = { ...SAMPLE.args, 'Custom-Channel-Vars': vars };
		expect(customDataOf(args, ['office'])).toEqual({ office: 'Riga' });
	});

	it('become no prototype', () => {
		const args = { ...SAMPLE.args, custom_data: '{"office":"Riga","__proto__":{"x":1}}' };
		const customData = customDataOf(args, ['__proto__']);
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
		const filters = { countVoicemail: true };
		const choice = { events: [value], legs: 'oncePerCall', filters } as const;
		expect(selectEvent(eventCall(parsedEvent(sample)), choice)).toEqual({ chosen: value });
	});
});
