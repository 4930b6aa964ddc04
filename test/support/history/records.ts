import type { IDataObject } from 'n8n-workflow';

import { cdrNumber } from '../../../sandbox/calls/records';
import { GREGORIAN_OFFSET } from '../../../sandbox/model/time';
import type { Cdr } from '../../../sandbox/model/types';
import type { PbxUnderTest } from '../sandbox';
import type { PastCall } from './calls';

type Settings = PbxUnderTest['sandbox']['pbx']['settings'];

/** One leg of a past call. */
interface PastLeg {
	direction: 'inbound' | 'outbound';
	from: string;
	to: string;
	talk: number;
	cause: string;
	/** How many seconds before the end of the call the leg ended. */
	before?: number;
}

const CAUSES = {
	answered: 'NORMAL_CLEARING',
	busy: 'USER_BUSY',
	declined: 'CALL_REJECTED',
	failed: 'NORMAL_TEMPORARY_FAILURE',
	noAnswer: 'NO_ANSWER',
	voicemail: 'NO_ANSWER',
};

/** Returns the legs of a call: the first one, and those to phones and numbers. */
function legsOf({ type, outcome, customer, line, employees, callee, talk }: PastCall): PastLeg[] {
	const [employee = ''] = employees;
	const isIncoming = type === 'incoming';
	const from = isIncoming ? (customer ?? 'anonymous') : employee;
	const to = (isIncoming ? line : (callee ?? customer)) ?? '';
	const cause = CAUSES[outcome];
	const isVoicemail = outcome === 'voicemail';
	const first: PastLeg = {
		...{ direction: 'inbound', from, to },
		// The caller also listens to a menu, or leaves a message.
		talk: isVoicemail ? 20 : talk && talk + (isIncoming ? 4 : 0),
		cause: isVoicemail ? 'NORMAL_CLEARING' : cause,
	};
	const phones = isIncoming ? employees : [to];
	const rang = phones.map((phone, index): PastLeg => {
		const isTaken = index === 0;
		const lost = { talk: 0, cause: outcome === 'answered' ? 'LOSE_RACE' : cause, before: talk };
		const taken = { talk, cause };
		return { direction: 'outbound', from, to: phone, ...(isTaken ? taken : lost) };
	});
	return [...rang, first];
}

/** Adds the records of calls to the sandbox's first account, formatted as in its settings. */
export function recordCalls(
	{ sandbox }: Pick<PbxUnderTest, 'sandbox'>,
	calls: readonly PastCall[],
): void {
	const { settings, accounts } = sandbox.pbx;
	const [account] = accounts.values();
	if (!account) throw new Error('The sandbox has no account');
	const records = calls.flatMap((call) => recordsOf(call, settings, account.id));
	records.sort((a, b) => Number(a.TIMESTAMP) - Number(b.TIMESTAMP));
	for (const record of records) account.cdrs.add(record);
}

function recordsOf(call: PastCall, settings: Settings, accountId: string): Cdr[] {
	const party = (number: string) => {
		const isOwn = number.length < 6 || /^[a-z]+\./.test(number);
		const name = isOwn ? `EMPLOYEE ${number}` : number;
		return cdrNumber(settings, { number, name, user: number, realm: 'demo.sandbox.local' });
	};
	const isKept = ({ direction }: PastLeg) => settings.legs === 'both' || direction === 'outbound';
	const toRecord = ({ direction, from, to, talk, cause, before = 0 }: PastLeg) =>
		({
			CALL_DIRECTION: direction,
			BRIDGE_ID: `${call.id}@10.0.0.5`,
			CALLEE_ID_NUMBER: party(to),
			CALLER_ID_NUMBER: party(from),
			TIMESTAMP: String(call.at + GREGORIAN_OFFSET - before),
			BILLING_SECONDS: String(talk),
			HANGUP_CAUSE: cause,
			ACCOUNT_ID: accountId,
			REC_FILE: '',
			REC_LINK: '',
		}) satisfies IDataObject as Cdr;
	return legsOf(call).filter(isKept).map(toRecord);
}
