import { eventually as soon } from '../eventually';

/** The pause between checks. Most of them query n8n, which needs the time for the awaited work. */
const PAUSE_MS = 400;

/** Repeats a check against n8n, which can be slow, until it passes. Throws the last failure. */
export const eventually = async <T>(check: () => T | Promise<T>, withinMs = 180_000): Promise<T> =>
	await soon(check, withinMs, PAUSE_MS);
