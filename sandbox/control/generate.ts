import { MEDIA_ADDRESS, stableId } from '../model/ids';
import { cdrNumber } from '../calls/records';
import type { Account } from '../model/account';
import { makeSettings, type Settings } from '../model/settings';
import type { Cdr } from '../model/types';

const CAUSES = ['NORMAL_CLEARING', 'NORMAL_CLEARING', 'NORMAL_CLEARING', 'NO_ANSWER', 'USER_BUSY'];

/** What to make: how many records, spread evenly over a range of Gregorian seconds. */
export interface Wanted {
	count: number;
	from: number;
	to: number;
	/** Which legs the records show, and how their numbers look; those of the contract if left out. */
	settings?: Pick<Settings, 'legs' | 'cdr_numbers'>;
}

/** Makes CDRs, two legs per call, the same ones for the same order; without recordings. */
export function* generateCdrs(account: Account, wanted: Wanted): Generator<Cdr> {
	const { id, realm } = account;
	const { count, from, to, settings = makeSettings() } = wanted;
	const called = { number: '74950000100', name: '74950000100', user: '74950000100', realm };
	const employee = { number: '100', name: 'Employee', user: 'user_100_1', realm };
	const step = count > 1 ? (to - from) / (count - 1) : 0;
	for (let index = 0; index < count; index++) {
		const call = Math.floor(index / 2);
		const isInbound = index % 2 === 0 && settings.legs === 'both';
		const number = `7495${String(1_000_000 + (call % 9_000_000))}`;
		const caller = { number, name: number, user: number, realm: 'carrier.sandbox.local' };
		const cause = CAUSES[call % CAUSES.length] ?? 'NORMAL_CLEARING';
		yield {
			CALL_DIRECTION: isInbound ? 'inbound' : 'outbound',
			BRIDGE_ID: `${stableId(id, String(call))}@${MEDIA_ADDRESS}`,
			CALLEE_ID_NUMBER: cdrNumber(settings, isInbound ? called : employee),
			CALLER_ID_NUMBER: cdrNumber(settings, caller),
			TIMESTAMP: String(Math.floor(from + index * step)),
			BILLING_SECONDS: cause === 'NORMAL_CLEARING' ? String(10 + (call % 300)) : '0',
			HANGUP_CAUSE: cause,
			ACCOUNT_ID: id,
			REC_FILE: '',
			REC_LINK: '',
		};
	}
}
