import { randomOf } from '../random';

/** A call as it happened. The sandbox's records show as much of it as the recorded legs do. */
export interface PastCall {
	id: string;
	type: 'incoming' | 'internal' | 'outgoing';
	outcome: 'answered' | 'busy' | 'declined' | 'failed' | 'noAnswer' | 'voicemail';
	/** The external number. Undefined for anonymous and internal calls. */
	customer?: string;
	/** The company's number that was called. */
	line?: string;
	/** Whose phones rang, or who placed the call. The first one answered. */
	employees: string[];
	/** The other employee of an internal call. */
	callee?: string;
	/** When it ended, in Unix seconds. */
	at: number;
	talk: number;
}

const EMPLOYEES = ['100', '101', '102', '103', '200', 'anna.petrova'];
const LINES = ['74950000100', '74950000200', '74950000300'];

/** A period in Unix seconds. At `edges`, days, hours, or clocks change. */
export interface Span {
	from: number;
	to: number;
	edges: readonly number[];
}

/** Generates calls of a period, many of them at its edges or with the same few customers. */
export function inventCalls(count: number, span: Span, seed: number): PastCall[] {
	const random = randomOf(seed);
	const below = (limit: number) => Math.floor(random() * limit);
	const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
	const customers = Math.max(5, Math.floor(count / 8));
	const moment = () =>
		random() < 0.15 ? oneOf(span.edges) + below(5) - 2 : span.from + below(span.to - span.from);
	const employees = () =>
		[...EMPLOYEES].sort(() => random() - 0.5).slice(0, random() < 0.6 ? 1 : 1 + below(3));
	const invent = (index: number): PastCall => {
		const number = `7916${String(1_000_000 + below(customers))}`;
		const answered = random() < 0.6;
		const talk = answered ? 1 + below(random() < 0.1 ? 3000 : 200) : 0;
		const base = { id: `call-${seed}-${index}`, at: moment(), talk };
		const kind = random();
		if (kind < 0.1) {
			const [one = '', callee = ''] = [...EMPLOYEES].sort(() => random() - 0.5);
			const outcome = answered ? 'answered' : oneOf(['busy', 'noAnswer'] as const);
			return { ...base, type: 'internal', outcome, employees: [one], callee };
		}
		if (kind < 0.4) {
			const outcome = answered ? 'answered' : oneOf(['busy', 'noAnswer'] as const);
			const one = [oneOf(EMPLOYEES)];
			return { ...base, type: 'outgoing', outcome, customer: number, employees: one };
		}
		const lost = oneOf(['busy', 'noAnswer', 'noAnswer', 'voicemail'] as const);
		return {
			...{ ...base, type: 'incoming', outcome: answered ? 'answered' : lost },
			...(random() < 0.93 && { customer: number }),
			...{ line: oneOf(LINES), employees: employees() },
		};
	};
	return Array.from({ length: count }, (_, index) => invent(index));
}
