import type { Bench, Result } from './bench';

/** One thing that the nodes do with the PBX: a row of the matrix. */
export interface Step {
	name: string;
	/** The heading to list it under. */
	section: string;
	/** An action node's operation, which sends each request at most four times. Lifecycle steps can send it more often. */
	isOperation: boolean;
	/** Prepares the step without a fault. Returns what to run with the fault. */
	prepare(bench: Bench): Promise<(bench: Bench) => Promise<Result>>;
	/** Continues after the fault is gone. Returns what went wrong. */
	recover?(bench: Bench, result: Result): Promise<string[]>;
	/** On failure, restores the previous state, even if the PBX processed the request. */
	undoes?: boolean;
}
