import type { Call, CallResult } from './call';
import { legSeconds, type Leg } from './leg';

/** What happened in a call, whatever its events and CDRs show of it. */
export interface Truth {
	call_id: string;
	type: 'incoming' | 'internal' | 'outgoing';
	/** The number outside; null if withheld, or for an internal call. */
	customer: string | null;
	/** The dialed company number of an incoming call. */
	company_number: string | null;
	result: CallResult | null;
	/** Whether someone called the company and reached nobody: no person, fax, or conference. */
	missed: boolean;
	/** The extension that placed the call; null if it came from outside. */
	caller: string | null;
	/** The extensions whose phones rang. */
	rang: string[];
	/** The employees who talked, in order. The caller is one if an employee called. */
	employees: Array<{ extension: string; seconds: number }>;
	/** How long people talked, or how long a fax or conference lasted. */
	talk_seconds: number;
	/** Unix seconds. */
	ended_at: number;
}

/** Tells what happened in a call. */
export function truthOf(call: Call): Truth {
	const { order, first, legs, result = null } = call;
	const isPlaced = first.device !== undefined;
	const type = isPlaced ? (call.isOutside ? 'outgoing' : 'internal') : 'incoming';
	const number = isPlaced ? (order.reaches ?? order.to) : (order.caller_number ?? order.from);
	const isMachine = result === 'fax' || result === 'conference';
	const isDone = result === 'answered' || isMachine;
	const talks = legs.filter((leg) => leg !== first && leg.role !== 'loopback');
	const seconds = talks.map((leg) => legSeconds(leg).billing);
	const phones = talks.filter(({ direction }) => direction === 'outbound');
	const speakers = isPlaced ? [first] : talks;
	return {
		call_id: first.callId,
		type,
		customer: type === 'internal' || number === '' ? null : number,
		company_number: isPlaced ? null : order.to,
		result,
		missed: type === 'incoming' && result !== null && !isDone,
		caller: isPlaced ? order.from : null,
		rang: [...new Set(phones.flatMap((leg) => ownerOf(call, leg)?.extension ?? []))],
		employees: speakers.flatMap((leg) => speakerAt(call, leg)),
		talk_seconds: isMachine
			? legSeconds(first).billing
			: seconds.reduce((sum, one) => sum + one, 0),
		ended_at: Math.floor(call.now / 1000),
	};
}

const ownerOf = ({ account }: Pick<Call, 'account'>, { device }: Leg) =>
	device && account.user({ id: device.ownerId });

function speakerAt({ account }: Call, leg: Leg): Truth['employees'] {
	const owner = ownerOf({ account }, leg);
	if (!owner || leg.answered === undefined) return [];
	return [{ extension: owner.extension, seconds: legSeconds(leg).billing }];
}
