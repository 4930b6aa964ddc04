import { gregorianNow } from '../model/time';
import type { Pbx } from '../model/pbx';
import type { Cdr } from '../model/types';
import type { Account } from '../model/account';
import type { Call } from './call';
import { legSeconds, type Leg, type Party } from './leg';

const sipUri = ({ user, realm }: Party): string => `sip:${user}@${realm}`;

/** Gives the base URL of an account's recordings (§2.4 REC_LINK). */
export const recordingLink = (pbx: Pbx, account: Account): string => {
	const base = pbx.settings.recording_link || pbx.url;
	return `${base.replace(/\/$/, '')}/v1/${pbx.settings.platform}/accounts/${account.id}/recordings/`;
};

/** Runs work after some seconds of the call, without keeping the process alive. */
function later(call: Call, seconds: number, work: () => void): void {
	if (seconds <= 0) return work();
	setTimeout(work, (seconds * 1000) / call.timeline.speed).unref();
}

/** Names the recording of a call that was answered, to be fetched some seconds after its end (§2.4, §4.3). */
function record(pbx: Pbx, call: Call, leg: Leg): string {
	if (!pbx.settings.record_calls || !call.bridged) return '';
	const file = `${call.first.callId.split('@')[0]}.wav`;
	if (call.recordingFile === undefined) {
		call.recordingFile = file;
		const wait = (pbx.settings.recording_delay_seconds * 1000) / call.timeline.speed;
		const seconds = Math.max(1, legSeconds(leg).billing);
		call.account.recordings.set(file, { file, seconds, readyAt: Date.now() + wait });
	}
	return file;
}

/** Writes the CDR of a leg that has ended (§2.4): one per leg, tied by BRIDGE_ID. */
export function keepRecord(pbx: Pbx, call: Call, leg: Leg): void {
	const { account } = call;
	const isRecorded = leg === call.first || leg === call.bridged;
	const file = isRecorded ? record(pbx, call, leg) : '';
	const recording = file ? { REC_FILE: file, REC_LINK: recordingLink(pbx, account) } : undefined;
	const { recording_in_cdr: naming, recording_delay_seconds: delay } = pbx.settings;
	const cdr: Cdr = {
		CALL_DIRECTION: leg.direction,
		BRIDGE_ID: call.first.callId,
		CALLEE_ID_NUMBER: sipUri(leg.callee),
		CALLER_ID_NUMBER: sipUri(leg.caller),
		TIMESTAMP: String(gregorianNow()),
		BILLING_SECONDS: String(legSeconds(leg).billing),
		HANGUP_CAUSE: leg.cause ?? 'NORMAL_CLEARING',
		ACCOUNT_ID: account.id,
		REC_FILE: '',
		REC_LINK: '',
	};
	later(call, naming === 'when_ready' ? delay : 0, () => Object.assign(cdr, recording));
	later(call, pbx.settings.cdr_delay_seconds, () => account.cdrs.add(cdr));
}
