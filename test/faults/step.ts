import type { Bench, Result } from './bench';

/** Something that our nodes do with the PBX, as one part of the matrix. */
export interface Step {
	name: string;
	/** The headline that it stands under. */
	section: string;
	/** An operation of the action node, whose every request may be sent four times; lifecycle steps ask several times. */
	isOperation: boolean;
	/** Makes ready, without a fault; gives what to run while the fault is on. */
	prepare(bench: Bench): Promise<(bench: Bench) => Promise<Result>>;
	/** What must hold when the fault is over: goes on where it stopped; gives what is wrong. */
	recover?(bench: Bench, result: Result): Promise<string[]>;
	/** A failure leaves everything as it was, whatever arrived. */
	undoes?: boolean;
}
