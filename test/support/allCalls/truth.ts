import type { IDataObject } from 'n8n-workflow';

import type { Truth } from '../../../sandbox/calls/truth';
import type { PastCall } from '../history/calls';

const OUTCOMES: Record<string, PastCall['outcome']> = {
	...{ answered: 'answered', busy: 'busy', declined: 'declined', voicemail: 'voicemail' },
	...{ played: 'voicemail', 'no-answer': 'noAnswer', cancelled: 'noAnswer' },
};

/**
 * Returns a call of the sandbox as its records can tell it at best. They don't tell 112 from an extension, nor a fax or
 * a conference from voicemail unless they tell of `machines`.
 */
export function asPastCall(truth: Truth, machines: boolean): PastCall {
	const { call_id: id, customer, company_number: line, result, ended_at: at } = truth;
	const isMachine = result === 'fax' || result === 'conference';
	const outcome = isMachine ? (machines ? 'answered' : 'voicemail') : OUTCOMES[result ?? ''];
	const isEmergency = customer === '112' || customer === '911';
	const speakers = [...truth.employees].reverse().map(({ extension }) => extension);
	const answerers = truth.only_losers ? [] : speakers;
	return {
		...{ id, type: isEmergency ? 'internal' : truth.type, outcome: outcome ?? 'failed', at },
		talk: outcome === 'voicemail' ? 0 : truth.talk_seconds,
		...(customer !== null && !isEmergency && { customer: customer.replace(/\D/g, '') }),
		...(line !== null && { line }),
		employees:
			truth.caller === null ? (outcome === 'answered' ? answerers : truth.rang) : [truth.caller],
	};
}

/** How many seconds longer a call-back can last than the time since the missed call. */
const LEEWAY = 300;

/** Lists the missed callers of a period as Get Missed Callers does, from what happened. */
export function missedCallersOf(
	calls: readonly PastCall[],
	from: number,
	to: number,
): IDataObject[] {
	const isMissed = ({ type, outcome, at }: PastCall) =>
		type === 'incoming' && outcome !== 'answered' && at >= from && at < to;
	const callers = new Set(calls.filter(isMissed).map(({ customer }) => customer));
	return [...callers].map((customer) => {
		const own = calls.filter((call) => call.customer === customer).sort((a, b) => a.at - b.at);
		const missed = own.filter(isMissed);
		const lastAt = missed.at(-1)?.at ?? 0;
		const isLater = ({ at, talk }: PastCall) => at > lastAt && at - talk + LEEWAY > lastAt;
		const later =
			customer === undefined
				? []
				: own.filter((call) => isLater(call) && call.outcome === 'answered');
		const back = later.find(({ type }) => type === 'outgoing');
		const through = later.find(({ type }) => type === 'incoming');
		const isBack = back && back.at <= (through?.at ?? Infinity);
		return {
			customer: customer ?? null,
			missedCalls: missed.length,
			status: isBack ? 'calledBack' : through ? 'cameThrough' : 'open',
			lastMissedAt: isoOf(lastAt),
			calledBackAt: back ? isoOf(back.at) : null,
			calledBackBy: back?.employees[0] ?? null,
			cameThroughAt: through ? isoOf(through.at) : null,
		};
	});
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
