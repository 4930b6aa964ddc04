import { toGregorian } from '../model/time';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { Account } from '../model/account';
import { ownPrefix } from '../pbx/versions';
import type { Call } from './call';
import { legSeconds, type Leg, type Party } from './leg';

/** Formats a number for a CDR (§2.4): a SIP URI or, in the field, the number with its name, if any. */
export function cdrNumber({ profile }: Pick<Settings, 'profile'>, party: Party): string {
	const { number, name, user, realm } = party;
	const isUri = user.includes('@') || user.startsWith('tel:');
	if (profile !== 'field') return isUri ? user : `sip:${escaped(user)}@${realm}`;
	return name === number ? number : `${number} (${name})`;
}

/** Escapes what the user part of a SIP URI can't have. */
const escaped = (user: string): string =>
	user.replace(/[^\w+*#;=.%&$,?!~'()-]/gu, encodeURIComponent);

/** Returns the file name of a recording made now (§2.4 REC_FILE). */
export function recordingFile({ settings }: Pbx, account: Account, callId: string): string {
	if (settings.profile === 'contract') return `${callId.split('@')[0]}.wav`;
	if (settings.profile === 'kazoo') return `call_recording_${callId}.mp3`;
	const [date = '', time = ''] = new Date().toISOString().split(/[T.]/);
	const stamp = `${date.replaceAll('-', '')}-${time.replaceAll(':', '')}`;
	return `${stamp}-${account.id}-call_recording_${callId}.mp3`;
}

/** Returns the base URL of an account's recordings (§2.4 REC_LINK). */
export const recordingLink = (pbx: Pbx, account: Account): string => {
	const folder = pbx.settings.profile === 'field' ? 'recorded' : 'recordings';
	return `${pbx.url}${ownPrefix(pbx.settings)}/accounts/${account.id}/${folder}/`;
};

/** Adds the recording of an answered call, available some seconds after its end (§2.4, §4.3). Returns its file name. */
function record(pbx: Pbx, call: Call, leg: Leg): string {
	if (!call.bridged) return '';
	if (call.recordingFile !== undefined) return call.recordingFile;
	const file = recordingFile(pbx, call.account, call.first.callId);
	const wait = (pbx.settings.recording_delay_seconds * 1000) / call.timeline.speed;
	const seconds = Math.max(1, legSeconds(leg).billing);
	call.account.recordings.set(file, { file, seconds, readyAt: Date.now() + wait });
	return (call.recordingFile = file);
}

/** Writes the CDR of a leg that has ended (§2.4): one per leg, linked by BRIDGE_ID. */
export function keepRecord(pbx: Pbx, call: Call, leg: Leg): void {
	const { account } = call;
	if (call.order.only_losers && leg === call.bridged) return;
	const isRecorded = leg === call.first || leg === call.bridged;
	const file = isRecorded ? record(pbx, call, leg) : '';
	const cdr = {
		CALL_DIRECTION: leg.direction,
		BRIDGE_ID: call.first.callId,
		CALLEE_ID_NUMBER: cdrNumber(pbx.settings, leg.callee),
		CALLER_ID_NUMBER: cdrNumber(pbx.settings, leg.caller),
		TIMESTAMP: String(toGregorian(call.now)),
		BILLING_SECONDS: String(legSeconds(leg).billing),
		HANGUP_CAUSE: leg.cause ?? 'NORMAL_CLEARING',
		ACCOUNT_ID: account.id,
		REC_FILE: file,
		REC_LINK: file === '' ? '' : recordingLink(pbx, account),
	};
	const { taken_by: module } = call.order;
	const addressOf = ({ user, realm }: Party) => `${user}@${realm}`;
	account.cdrs.add(cdr, {
		...(module !== undefined && { module }),
		call_id: leg.callId,
		other_leg_call_id: leg.other?.callId ?? '',
		caller: leg.caller,
		callee: leg.callee,
		from: addressOf(leg.caller),
		to: addressOf(leg.callee),
		owner_id: leg.device?.ownerId ?? '',
		authorizing_id: leg.device?.id ?? '',
		duration_seconds: legSeconds(leg).duration,
	});
}
