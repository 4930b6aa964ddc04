import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { CallEvent } from '../../../nodes/VirtualPbx/events/parse';
import { readEvent } from '../../../nodes/VirtualPbx/events/parse';
import { isFirstLeg } from '../../../nodes/VirtualPbx/events/standing';
import { argsOf, calls, respell, spellings, stages } from '../../support/events/arbitraries';

function parsed(args: IDataObject): CallEvent {
	const result = readEvent(args);
	if ('refusal' in result) throw new Error(result.refusal.reason);
	return result.event;
}

describe('once per call', () => {
	it('takes exactly the inbound leg of a call, for every event, with or without a Bridge-ID', () => {
		fc.assert(
			fc.property(calls, stages, spellings, (call, stage, spelling) => {
				const [inbound, outbound] = (['inbound', 'outbound'] as const).map((side) =>
					parsed(respell(argsOf(call, stage, side), spelling)),
				);
				expect([inbound, outbound].map((leg) => leg && isFirstLeg(leg))).toEqual([true, false]);
			}),
		);
	});

	it('takes the inbound leg also where only one leg of the call carries a Bridge-ID', () => {
		fc.assert(
			fc.property(calls, stages, fc.boolean(), (call, stage, isOnInbound) => {
				const inbound = argsOf({ ...call, withBridge: isOnInbound }, stage, 'inbound');
				const outbound = argsOf({ ...call, withBridge: !isOnInbound }, stage, 'outbound');
				expect([inbound, outbound].map((args) => isFirstLeg(parsed(args)))).toEqual([true, false]);
			}),
		);
	});

	it('takes exactly one of two ended legs of the same direction that name each other', () => {
		fc.assert(
			fc.property(calls, fc.constantFrom('inbound', 'outbound', undefined), (call, direction) => {
				const legs = (['inbound', 'outbound'] as const).map((side) => ({
					...argsOf({ ...call, withBridge: false }, 'destroy', side),
					'Call-Direction': direction,
					'Other-Leg-Direction': direction,
				}));
				expect(legs.filter((args) => isFirstLeg(parsed(args)))).toHaveLength(1);
			}),
		);
	});

	it('takes the only leg of a call, whatever its direction', () => {
		for (const direction of ['inbound', 'outbound', undefined]) {
			const args = { 'Call-ID': 'a', 'Event-Name': 'CHANNEL_DESTROY', 'Call-Direction': direction };
			expect(isFirstLeg(parsed(args))).toBe(true);
		}
	});
});
