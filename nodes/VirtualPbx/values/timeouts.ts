/** How long a silent PBX is waited for, in milliseconds, where no deadline ends it before. Changed by tests only. */
export const TIMEOUTS = {
	/** A login, with its whole answer. */
	login: 30_000,
	/** Until an answer begins. */
	answer: 60_000,
	/** Between two pieces of an answer, which as a whole may take as long as it needs. */
	idle: 60_000,
};
