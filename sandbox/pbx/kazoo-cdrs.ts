import type { Account } from '../model/account';
import type { Cdrs } from '../model/cdrs';
import { GREGORIAN_OFFSET } from '../model/time';
import type { Cdr } from '../model/types';

/** Reads a number in a form of §2.4: `sip:user@realm`, or `171 (IVANOVA MA)`. */
function partyOf(text: string) {
	const [, number = text, name = ''] = /^(.*?) \((.*)\)$/.exec(text) ?? [];
	const address = number.replace(/^sips?:/, '');
	const user = address.split('@')[0] ?? '';
	return { address, party: { number: user, name: name || user } };
}

/** A stock Kazoo's additional facts about a leg, beyond its CDR, and the module that took the call, if any. */
export type LegFacts = ReturnType<typeof derivedLeg> & { module?: string };

/** Derives the leg of a record that was added without a call. */
function derivedLeg(cdr: Cdr) {
	const [caller, callee] = [partyOf(cdr.CALLER_ID_NUMBER), partyOf(cdr.CALLEE_ID_NUMBER)];
	const isFirst = cdr.CALL_DIRECTION === 'inbound';
	const other = `${cdr.BRIDGE_ID.split('@')[0]}-out`;
	const [extension = ''] = /^\d{3}$/.exec(caller.party.number) ?? [];
	return {
		call_id: isFirst ? cdr.BRIDGE_ID : other,
		other_leg_call_id: isFirst ? other : cdr.BRIDGE_ID,
		...{ caller: caller.party, callee: callee.party, from: caller.address, to: callee.address },
		// A real platform names who placed a call of an employee.
		...{ owner_id: extension, authorizing_id: extension },
		duration_seconds: Number(cdr.BILLING_SECONDS),
	};
}

/** Returns the fields of a record in every view. The caller's leg has no called party. */
function common(cdr: Cdr, leg: LegFacts) {
	const callee = cdr.CALL_DIRECTION === 'inbound' ? { number: '', name: '' } : leg.callee;
	return {
		...{ call_id: leg.call_id, other_leg_call_id: leg.other_leg_call_id },
		...{ caller_id_number: leg.caller.number, caller_id_name: leg.caller.name },
		...{ callee_id_number: callee.number, callee_id_name: callee.name },
		...{ from: leg.from, to: leg.to, request: leg.to },
		...{ owner_id: leg.owner_id, authorizing_id: leg.authorizing_id },
		duration_seconds: leg.duration_seconds,
		billing_seconds: Number(cdr.BILLING_SECONDS),
		hangup_cause: cdr.HANGUP_CAUSE,
		...(leg.module !== undefined && { module: leg.module }),
	};
}

/** Returns a record as a stock Kazoo stores it. Its filters compare these fields. */
export function storedRecord(cdr: Cdr, cdrs: Cdrs): object {
	const leg: LegFacts = cdrs.legOf(cdr) ?? derivedLeg(cdr);
	return {
		...common(cdr, leg),
		call_direction: cdr.CALL_DIRECTION,
		timestamp: cdr.TIMESTAMP,
		custom_channel_vars: { bridge_id: cdr.BRIDGE_ID, account_id: cdr.ACCOUNT_ID },
	};
}

/** Returns a record as a stock Kazoo lists it, timed by the start of the call. */
export function listedRecord(cdr: Cdr, account: Account): object {
	const { cdrs } = account;
	const leg: LegFacts = cdrs.legOf(cdr) ?? derivedLeg(cdr);
	const start = Number(cdr.TIMESTAMP) - leg.duration_seconds;
	const unix = start - GREGORIAN_OFFSET;
	const date = new Date(unix * 1000);
	const iso = date.toISOString();
	const [day = '', time = ''] = iso.split(/[T.]/);
	const month = day.slice(0, 7).replace('-', '');
	const isFirst = cdr.CALL_DIRECTION === 'inbound';
	const none = { cost: '0', call_type: '', rate: '0.0', rate_name: '', media_server: '' };
	return {
		id: `${month}-${leg.call_id}`,
		...common(cdr, leg),
		direction: cdr.CALL_DIRECTION,
		bridge_id: cdr.BRIDGE_ID,
		timestamp: String(start),
		datetime: `${day}_${time}`,
		unix_timestamp: String(unix),
		unix_timestamp_micro: `${unix}.0`,
		rfc_1036: date.toUTCString(),
		iso_8601: day,
		iso_8601_combined: `${day}T${time}Z`,
		dialed_number: leg.to.split('@')[0],
		calling_from: isFirst ? leg.caller.number : '',
		recording_url: '',
		media_recordings: cdr.REC_FILE === '' ? [] : [account.recordingId(cdr.REC_FILE, month)],
		interaction_id: `${start}-${cdr.BRIDGE_ID.slice(0, 8)}`,
		...none,
		...{ call_priority: '', reseller_cost: '0', reseller_call_type: '' },
	};
}
