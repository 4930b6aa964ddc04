import { assembleCall } from '../../../nodes/VirtualPbx/calls/call';
import { rejectionReason } from '../../../nodes/VirtualPbx/calls/filter';
import type { Leg } from '../../../nodes/VirtualPbx/calls/leg';
import { ANY_ACCOUNT, callEnd } from '../../../nodes/VirtualPbx/calls/leg';
import { readEnd } from '../../../nodes/VirtualPbx/util/party';

const leg = (id: string, side: Leg['side'], from: string, to: string): Leg => ({
	...{
		id,
		callId: 'bridge',
		side,
		from: callEnd(readEnd(from), ANY_ACCOUNT),
		to: callEnd(readEnd(to), ANY_ACCOUNT),
	},
	...{ state: 'answered', isOver: true, talk: 10 },
});

function isFrom(number: string, legs: Leg[]): boolean {
	const from = (value: string) => value === number;
	return (
		rejectionReason(assembleCall(legs, true, ANY_ACCOUNT), { from, countVoicemail: true }) ===
		undefined
	);
}

describe('the filter by caller number', () => {
	it('matches every leg that began the call, such as the second one of a transfer', () => {
		const legs = [
			leg('one', 'caller', '12125550123', '12125550100'),
			leg('two', 'caller', '12125550145', '101'),
			leg('three', 'called', '101', '102'),
		];
		const numbers = ['12125550123', '12125550145', '101'];
		expect(numbers.filter((number) => isFrom(number, legs))).toEqual(numbers.slice(0, 2));
	});

	it('matches the caller that the earliest leg shows if no leg began the call', () => {
		const legs = [leg('one', 'called', '12125550123', '101')];
		expect(isFrom('12125550123', legs)).toBe(true);
	});
});
