import { sleep } from 'n8n-workflow';

/** How many times a request and its answer wait for a busy n8n as long as a timer that is due. */
const WAITS = 6;
/** What an idle n8n takes before it lets us see a request (its sandbox for expressions, docs/routing.md). */
const LEAST_MS = 50;
/** A slow workflow is not cut off much before its time. */
const MOST_SHARE = 0.15;
const SAMPLES = 8;
const SAMPLE_MS = 25;
const FADING = 0.99;

/** An n8n that has just started is slow at first. */
let lag = 50;
let measuring = false;

/**
 * Tells how much of a deadline is left when n8n lets us see a request. How long the request has waited is stated
 * nowhere, so it is judged by how late timers have been lately (measured: docs/routing.md, "Under load").
 *
 * @param deadlineMs the whole deadline
 * @returns milliseconds, at least 85 % of the deadline
 */
export function timeLeft(deadlineMs: number): number {
	if (!measuring) void measure();
	return Math.round(deadlineMs - Math.min(LEAST_MS + WAITS * lag, deadlineMs * MOST_SHARE));
}

/** Watches the time right after a request, in which n8n starts its execution. */
async function measure(): Promise<void> {
	measuring = true;
	for (let sample = 0; sample < SAMPLES; sample++) {
		const before = Date.now();
		await sleep(SAMPLE_MS);
		lag = Math.max(Date.now() - before - SAMPLE_MS, lag * FADING);
	}
	measuring = false;
}
