import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { simplifyCall } from '../../../nodes/VirtualPbx/calls/record';
import { cdrsIn } from '../../support/cdrs';
import { CALL_TABLE, eventsOf, flattened, recordsOf } from '../../support/callTable';
import type { Spelling, TableCall, Shown } from '../../support/callTable';
import { eventSettings } from '../../support/trigger/settings';
import { itemsOf } from '../support/deliveries';

const spellings = fc.constantFrom<Spelling>('plain', 'named', 'uri');
const shuffled = <T>(list: T[]) =>
	fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length });

function toldBy(item: IDataObject): IDataObject {
	const { callType, outcome, missed, customerNumber, employee, companyNumber, callId } = item;
	return { callType, outcome, missed, customerNumber, employee, companyNumber, callId };
}
const expectedOf = ({ shown }: TableCall, unknown: Partial<Shown> = {}) => ({
	...shown,
	...unknown,
	callId: 'a',
});

describe.each(CALL_TABLE.map((call) => [call.name, call] as const))('the call "%s"', (_, call) => {
	it('is the same in its records, in any order', () => {
		fc.assert(
			fc.property(spellings, shuffled(call.legs), (spelling, legs) => {
				expect(toldBy(simplifyCall(cdrsIn(recordsOf(legs, spelling))))).toEqual(expectedOf(call));
			}),
		);
	});

	it('is shown once by the events of its legs, in any order, and is the same', async () => {
		await fc.assert(
			fc.asyncProperty(spellings, shuffled(call.legs), async (spelling, legs) => {
				const items = await itemsOf(eventsOf(legs, spelling), eventSettings());
				expect(items.map(toldBy)).toEqual([expectedOf(call, call.event)]);
			}),
			{ numRuns: 20 },
		);
	});

	it('is shown once by events in the flat form, and is the same', async () => {
		await fc.assert(
			fc.asyncProperty(spellings, shuffled(call.legs), async (spelling, legs) => {
				const items = await itemsOf(eventsOf(legs, spelling).map(flattened), eventSettings());
				// The flat form names the other leg by its ID alone.
				const isPair = call.legs.every(({ side }) => side === 'outbound');
				const employee = call.shown.callType === 'incoming' && !isPair ? { employee: null } : {};
				// Nothing ties a consultation, which a colleague begins by a call, to the first one.
				const shown = items.filter(({ callId }) => callId === 'a');
				expect(shown.map(toldBy)).toEqual([expectedOf(call, { ...call.event, ...employee })]);
			}),
			{ numRuns: 20 },
		);
	});

	it('is the same without the leg that began it, as far as the others tell', () => {
		const { withoutFirst = {} } = call;
		if (withoutFirst === 'nothing') return;
		const legs = call.legs.filter(({ side }) => side === 'outbound');
		expect(toldBy(simplifyCall(cdrsIn(recordsOf(legs, 'named'))))).toEqual(
			expectedOf(call, { companyNumber: null, ...withoutFirst }),
		);
	});
});
