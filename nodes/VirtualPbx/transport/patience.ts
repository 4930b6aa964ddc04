import { whenOver } from './stopwatch';
import type { Failure } from './failure';
import type { Budget } from './limits';
import { SILENCE } from './limits';
import type { ByteStream } from './stream';
import { discard } from './stream';

/** How long what was found out about a PBX holds. */
const FRESH_MS = 60_000;
const MAX_PBXS = 1000;

/** By login data: since when a PBX did not answer, and how. */
const outages = new Map<string, { at: number; failure: Failure }>();

/**
 * Notes how a request went, for those who would otherwise wait for the same dead PBX one after another.
 *
 * @param key the fingerprint of the login data
 * @param failure undefined when the PBX answered, which ends its outage
 */
export function noteReach(key: string, failure: Failure | undefined, now = Date.now()): void {
	if (!failure || !isOutage(failure)) {
		outages.delete(key);
		return;
	}
	if (!outages.has(key) && outages.size >= MAX_PBXS) outages.clear();
	outages.set(key, { at: now, failure });
}

/** No answer, or none of a PBX that works; an answer in good time that says no costs the others none. */
function isOutage({ kind, status = 0, mayPass }: Failure): boolean {
	return kind === 'network' || mayPass === true || status === 429 || status >= 500;
}

/** The failure of a PBX that did not answer within the last minute. */
export function knownOutage(key: string, now = Date.now()): Failure | undefined {
	const outage = outages.get(key);
	return outage && now - outage.at < FRESH_MS ? outage.failure : undefined;
}

/** Forgets all outages. For tests, whose PBXs come and go. */
export function forgetOutages(): void {
	outages.clear();
}

/** A stall is tried again at most once. */
const MAX_STALLS = 2;

const SLOW = 'Try again. If this happens again, check whether this n8n can reach the PBX.';

/**
 * How long one request waits for the PBX, all of its tries together: until an answer begins, and then for each of its
 * pieces. What takes its time but keeps coming may go on; what falls silent ends.
 */
export class Patience {
	/** Why the waiting ended, where it did. */
	verdict: Failure | undefined;

	private left = SILENCE.inAllMs;
	private stalls = 0;

	/**
	 * @param tryMs how long the PBX may be silent in one try, where someone waits; otherwise as `SILENCE` says
	 * @param isRepeated whether there is another try
	 */
	constructor(
		private readonly host: string,
		private readonly budget: Budget | undefined,
		private readonly tryMs = Infinity,
		private readonly isRepeated = true,
	) {}

	/** Whether another try is worth it. */
	get isOver(): boolean {
		return this.stalls >= MAX_STALLS || this.left < SILENCE.leastMs;
	}

	/**
	 * Waits for an answer to begin.
	 *
	 * @param give ends the waiting, with the reason
	 * @returns to be called when it has begun
	 */
	forAnswer(give: (failure: Failure) => void): () => void {
		const since = Date.now();
		const longest = this.isRepeated ? SILENCE.answerMs : SILENCE.onlyAnswerMs;
		const limit = Math.min(longest, this.left, this.tryMs);
		const words = `No answer from the PBX: ${this.host} did not answer in time`;
		const end = this.watch(
			() => since + limit,
			() => give(this.judge(words)),
		);
		return () => {
			end();
			this.left -= Date.now() - since;
		};
	}

	/**
	 * Waits for the pieces of an answer while somebody wants them; closes the stream when none comes.
	 *
	 * @param since since when the next piece is awaited; undefined while nobody waits for one
	 * @param wholeMs how long all pieces may take
	 * @returns to be called when the answer is over
	 */
	forPieces(stream: ByteStream, since: () => number | undefined, wholeMs = Infinity): () => void {
		const end = Date.now() + wholeMs;
		const limit = Math.max(0, Math.min(SILENCE.pieceMs, this.left, this.tryMs));
		const words = `The answer of the PBX was cut off: ${this.host} went silent before it was complete`;
		return this.watch(
			() => Math.min((since() ?? Infinity) + limit, end),
			() => {
				this.left -= limit;
				this.judge(words);
				discard(stream);
			},
		);
	}

	private watch(limit: () => number, act: () => void): () => void {
		return whenOver(() => Math.min(limit(), this.budget?.until ?? Infinity), act);
	}

	private judge(words: string): Failure {
		this.stalls++;
		const isBudget = this.budget !== undefined && Date.now() >= this.budget.until;
		this.verdict = isBudget ? OUT_OF_TIME : { kind: 'network', words, hint: SLOW };
		return this.verdict;
	}
}

/** The failure of a PBX that took more time than there was. */
const OUT_OF_TIME: Failure = {
	kind: 'network',
	words: 'No answer from the PBX within the time limit',
	hint: 'Check that this n8n can reach the PBX, and that the PBX is not overloaded.',
};

/** The same for a request that was not even begun: it tells nothing about the PBX. */
export const NOT_BEGUN: Failure = { ...OUT_OF_TIME };
