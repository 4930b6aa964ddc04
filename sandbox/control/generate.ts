import { MEDIA_ADDRESS, stableId } from '../model/ids';
import type { Account } from '../model/account';
import type { Cdr } from '../model/types';

const CAUSES = ['NORMAL_CLEARING', 'NORMAL_CLEARING', 'NORMAL_CLEARING', 'NO_ANSWER', 'USER_BUSY'];

/** What to make: how many records, spread evenly over a range of Gregorian seconds. */
export interface Wanted {
	count: number;
	from: number;
	to: number;
}

/** Makes CDRs, two legs per call, the same ones for the same order; without recordings. */
export function* generateCdrs({ id, realm }: Account, { count, from, to }: Wanted): Generator<Cdr> {
	const step = count > 1 ? (to - from) / (count - 1) : 0;
	for (let index = 0; index < count; index++) {
		const call = Math.floor(index / 2);
		const isInbound = index % 2 === 0;
		const cause = CAUSES[call % CAUSES.length] ?? 'NORMAL_CLEARING';
		yield {
			CALL_DIRECTION: isInbound ? 'inbound' : 'outbound',
			BRIDGE_ID: `${stableId(id, String(call))}@${MEDIA_ADDRESS}`,
			CALLEE_ID_NUMBER: isInbound ? `sip:74950000100@${realm}` : `sip:user_100_1@${realm}`,
			CALLER_ID_NUMBER: `sip:7495${String(1_000_000 + (call % 9_000_000))}@carrier.sandbox.local`,
			TIMESTAMP: String(Math.floor(from + index * step)),
			BILLING_SECONDS: cause === 'NORMAL_CLEARING' ? String(10 + (call % 300)) : '0',
			HANGUP_CAUSE: cause,
			ACCOUNT_ID: id,
			REC_FILE: '',
			REC_LINK: '',
		};
	}
}
