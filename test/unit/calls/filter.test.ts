import { assembleCall } from '../../../nodes/VirtualPbx/calls/call';
import { rejectionReason } from '../../../nodes/VirtualPbx/calls/filter';
import type { Leg } from '../../../nodes/VirtualPbx/calls/leg';
import { ANY_ACCOUNT, callEnd } from '../../../nodes/VirtualPbx/calls/leg';
import { readEnd } from '../../../nodes/VirtualPbx/util/party';

const endOf = (number: string) => callEnd(readEnd(number), ANY_ACCOUNT);
const leg = (side: Leg['side'], from: string, to: string): Leg => ({
	...{ id: from, callId: 'bridge', side, from: endOf(from), to: endOf(to) },
	...{ state: 'answered', isOver: true, talk: 10 },
});

describe('the filter by caller number', () => {
	it.each<[string, Leg[], string[]]>([
		[
			'every leg that began the call, such as the second one of a transfer',
			[
				leg('caller', '12125550123', '12125550100'),
				leg('caller', '12125550145', '101'),
				leg('called', '101', '102'),
			],
			['12125550123', '12125550145'],
		],
		[
			'the caller that the earliest leg shows if no leg began the call',
			[leg('called', '12125550123', '101')],
			['12125550123'],
		],
	])('matches %s', (_, legs, expected) => {
		const call = assembleCall(legs, true, ANY_ACCOUNT);
		const isFrom = (number: string) =>
			rejectionReason(call, { from: (value) => value === number, countVoicemail: true }) ===
			undefined;
		expect(['12125550123', '12125550145', '101'].filter(isFrom)).toEqual(expected);
	});
});
