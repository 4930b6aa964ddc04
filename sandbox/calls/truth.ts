import type { Call, CallResult } from './call';
import type { Leg } from './leg';
import { legSeconds } from './leg';

/** The course of a call, whatever its events and CDRs show of it. */
export interface Truth {
	call_id: string;
	type: 'incoming' | 'internal' | 'outgoing';
	/** The number outside; null if withheld, or for an internal call. */
	customer: string | null;
	/** The dialed company number of an incoming call. */
	company_number: string | null;
	result: CallResult | null;
	/** Whether someone called the company and reached no one: no person, fax, or conference. */
	missed: boolean;
	/** The extension that placed the call; null if it came from outside. */
	caller: string | null;
	/** The extensions whose phones rang. */
	rang: string[];
	/** The employees who talked, in order. The caller is one if an employee called. */
	employees: Array<{ extension: string; seconds: number }>;
	/** How long people talked, or how long a fax or conference lasted. */
	talk_seconds: number;
	/** Whether the phone that answered has no CDR. */
	only_losers?: boolean;
	/** Unix seconds. */
	ended_at: number;
}

export function truthOf(call: Call): Truth {
	const { order, first, legs, result = null } = call;
	const isMachine = result === 'fax' || result === 'conference';
	const isReached = result === null || result === 'answered' || isMachine;
	const talks = legs.filter((leg) => leg !== first && leg.role !== 'loopback');
	const phones = talks.filter(({ direction }) => direction === 'outbound');
	const timed = isMachine ? [first] : talks;
	return {
		call_id: first.callId,
		...placedFacts(call),
		result,
		missed: first.device === undefined && !isReached,
		rang: [...new Set(phones.flatMap((leg) => ownerOf(call, leg)?.extension ?? []))],
		employees: (first.device ? [first] : talks).flatMap((leg) => speakerAt(call, leg)),
		talk_seconds: timed.reduce((sum, leg) => sum + legSeconds(leg).billing, 0),
		ended_at: Math.floor(call.now / 1000),
		...(order.only_losers && { only_losers: true }),
	};
}

function placedFacts({ order, first, isOutside }: Call) {
	const { from, to, reaches = to, caller_number: number = from } = order;
	if (first.device === undefined) {
		const customer = number === '' ? null : number;
		return { type: 'incoming', customer, company_number: to, caller: null } as const;
	}
	const placed = { company_number: null, caller: from };
	if (!isOutside) return { type: 'internal', customer: null, ...placed } as const;
	return { type: 'outgoing', customer: reaches, ...placed } as const;
}

const ownerOf = ({ account }: Call, { device }: Leg) =>
	device && account.user({ id: device.ownerId });

function speakerAt(call: Call, leg: Leg): Truth['employees'] {
	const owner = ownerOf(call, leg);
	if (!owner || leg.answered === undefined) return [];
	return [{ extension: owner.extension, seconds: legSeconds(leg).billing }];
}
