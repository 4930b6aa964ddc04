import type { IDataObject } from 'n8n-workflow';
import * as profiles from '../../../nodes/VirtualPbx/calls/legProfile';
import { cdrsIn } from '../../support/cdrs';
import { unixToGregorian } from '../../../nodes/VirtualPbx/util/time';

const legProfileOf = (records: IDataObject[], now: number) =>
	profiles.legProfileOf(cdrsIn(records), now);
const lacksFirstLeg = (records: IDataObject[], profile: profiles.LegProfile) =>
	profiles.lacksFirstLeg(cdrsIn(records), profile);

const NOW = Date.UTC(2026, 10, 20, 12);

function leg(bridge: string, changes: IDataObject = {}, secondsAgo = 600): IDataObject {
	return {
		CALL_DIRECTION: 'outbound',
		BRIDGE_ID: bridge,
		BILLING_SECONDS: '30',
		TIMESTAMP: String(unixToGregorian(NOW / 1000) - secondsAgo),
		...changes,
	};
}
const calls = (count: number, changes?: IDataObject, secondsAgo?: number) =>
	Array.from({ length: count }, (_, call) => leg(`call ${call}`, changes, secondsAgo));

describe('whether calls have an inbound leg', () => {
	it.each<[string, IDataObject[], boolean | undefined]>([
		['no record tells nothing', [], undefined],
		['two calls are too few', calls(2), undefined],
		['three calls that were talked on have none', calls(3), false],
		[
			'one inbound record tells of all',
			[...calls(50), leg('x', { CALL_DIRECTION: 'Inbound' })],
			true,
		],
		['a direction that nobody knows may be inbound', [leg('x', { CALL_DIRECTION: 'IN' })], true],
		[
			'a record without a direction may be inbound',
			[leg('x', { CALL_DIRECTION: undefined })],
			true,
		],
		['phones that rang in vain tell nothing', calls(9, { BILLING_SECONDS: '0' }), undefined],
		['the inbound record of a call just over may be on its way', calls(9, {}, 5), undefined],
		['a record without a time may be new', calls(9, { TIMESTAMP: '' }), undefined],
		['a record without a Bridge-ID names no leg', calls(9, { BRIDGE_ID: '' }), undefined],
		['click-to-calls never have one', calls(9).flatMap((one) => [one, { ...one }]), undefined],
	])('%s', (_, records, expected) => {
		expect(legProfileOf(records, NOW).hasFirstLegs).toBe(expected);
	});
});

describe('whether calls that colleagues place have a first leg', () => {
	const placed = {
		CALLER_ID_NUMBER: '100',
		CALLEE_ID_NUMBER: '79990001122',
		BILLING_SECONDS: '30',
	};
	const first = { ...placed, CALL_DIRECTION: 'inbound' };

	it('is told by themselves alone', () => {
		expect(legProfileOf(calls(3, placed), NOW)).toEqual({ hasPlacedFirstLegs: false });
		const whole = [leg('x', first), leg('x', placed)];
		expect(legProfileOf([...calls(3), ...whole], NOW)).toEqual({
			hasFirstLegs: false,
			hasPlacedFirstLegs: true,
		});
		expect(
			legProfileOf([...calls(3, placed), leg('x', { CALL_DIRECTION: 'inbound' })], NOW),
		).toEqual({ hasFirstLegs: true, hasPlacedFirstLegs: false });
	});
});

describe('whether calls between colleagues have a first leg', () => {
	const internal = { CALLER_ID_NUMBER: '101', CALLEE_ID_NUMBER: '100' };
	const outside = { CALLER_ID_NUMBER: '79990001122', CALLEE_ID_NUMBER: '100' };
	const first = { ...internal, CALL_DIRECTION: 'inbound' };

	it('is told by themselves alone', () => {
		const one = [leg('x', first), leg('x', internal)];
		const profile = legProfileOf([...one, ...calls(3, outside)], NOW);
		expect(profile).toEqual({ hasInternalFirstLegs: true, hasFirstLegs: false });
		expect(lacksFirstLeg([leg('y', outside)], profile)).toBe(false);
		expect(lacksFirstLeg([leg('y', internal)], profile)).toBe(true);
		expect(legProfileOf(one, NOW)).toEqual({ hasInternalFirstLegs: true });
		expect(legProfileOf(calls(3, internal), NOW)).toEqual({ hasInternalFirstLegs: false });
	});
});

describe('whether a call lacks its first leg', () => {
	const placed = leg('x', { CALLER_ID_NUMBER: '100', CALLEE_ID_NUMBER: '79990001122' });
	it.each<[string, IDataObject[], object, boolean | undefined]>([
		['a call with one', [leg('x', { CALL_DIRECTION: 'inbound' })], { hasFirstLegs: true }, false],
		['a call without one', [leg('x')], { hasFirstLegs: true }, true],
		['where calls have none', [leg('x')], { hasFirstLegs: false }, false],
		['where nothing tells', [leg('x')], {}, undefined],
		['both ends of a click-to-call', [leg('x'), leg('x')], { hasFirstLegs: true }, false],
		[
			'a click-to-call that the customer does not answer',
			[
				leg('x', { CALLER_ID_NUMBER: '100', CALLEE_ID_NUMBER: '100' }),
				{ ...placed, BILLING_SECONDS: '0' },
			],
			{ hasFirstLegs: true, hasPlacedFirstLegs: true },
			false,
		],
		[
			'the same, with the customer shown as the caller of the colleague',
			[
				leg('x', { CALLER_ID_NUMBER: '79990001122', CALLEE_ID_NUMBER: '100' }),
				{ ...placed, BILLING_SECONDS: '0' },
			],
			{ hasFirstLegs: true, hasPlacedFirstLegs: true },
			false,
		],
		[
			'a call that is forwarded to a mobile',
			[
				leg('x', {
					CALLER_ID_NUMBER: '79161234567',
					CALLEE_ID_NUMBER: '100',
					BILLING_SECONDS: '0',
				}),
				leg('x', { CALLER_ID_NUMBER: '79161234567', CALLEE_ID_NUMBER: '79030000000' }),
			],
			{ hasFirstLegs: true },
			true,
		],
		['a record without a Bridge-ID', [leg('')], { hasFirstLegs: true }, false],
		['a placed call where nothing tells', [placed], { hasFirstLegs: true }, false],
		['a placed call where these have one', [placed], { hasPlacedFirstLegs: true }, true],
	])('%s', (_, legs, profile, expected) => {
		expect(lacksFirstLeg(legs, profile)).toBe(expected);
	});
});
