import type { IDataObject } from 'n8n-workflow';

import { numberDetails } from '../../../nodes/VirtualPbx/util/phone';
import { toGregorian } from '../../../sandbox/model/time';

/** The company's number. */
export const COMPANY = '12125550100';

/** The name and the email of the employee with the extension 100. The local services' users have their ID in it. */
export const ANNA_EMAIL = '88@x.example';

let lastId = 0;

/** A call as a test writes it down, with what users should then see in the CRM. */
export interface TableCall {
	from?: string;
	to?: string;
	/** Seconds before now at which it ended. */
	ago: number;
	talk?: number;
	/** Who has it in the CRM; undefined if it isn't logged. */
	customer?: string;
	text?: string;
}

/** Returns the records of a call of employee 100 or between two employees, as the PBX would keep them (contract §2). */
export function recordsOf({ from = '100', to = COMPANY, ago, talk = 0 }: TableCall): IDataObject[] {
	lastId += 1;
	const leg = (side: string, callee: string) => ({
		...{ CALL_DIRECTION: side, BRIDGE_ID: `${lastId}@192.0.2.1`, CALLER_ID_NUMBER: from },
		...{ CALLEE_ID_NUMBER: callee, BILLING_SECONDS: String(talk) },
		HANGUP_CAUSE: talk > 0 ? 'NORMAL_CLEARING' : 'NO_ANSWER',
		TIMESTAMP: String(toGregorian(Date.now() - ago * 1000)),
	});
	return [leg('inbound', to), leg('outbound', from === '100' ? to : '100')];
}

export const ANSWERED = 'Incoming call answered by employee 100, lasted 1 min';

/** Returns an answered call with a summary of {@link ANSWERED}, as a trigger's item. */
export const answeredCall = (callId: string, number: string) => ({
	...{ callId, at: new Date(Date.now() - 1_000_000).toISOString(), callType: 'incoming' },
	...{ outcome: 'answered', missed: false, talkSeconds: 60, employee: '100' },
	...{ customerNumber: `+${number}`, companyNumber: `+${COMPANY}` },
	details: {
		...{ ...numberDetails(`+${number}`, 'US'), summary: ANSWERED },
		...{ employeeName: ANNA_EMAIL, employeeEmail: ANNA_EMAIL },
	},
});
