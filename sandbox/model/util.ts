import { createHash, randomUUID } from 'node:crypto';

/** Address of the simulated media server, from the block reserved for documentation. */
export const MEDIA_ADDRESS = '192.0.2.10';

/** Returns a new 32-digit hexadecimal ID, the form of every ID on the platform. */
export const newId = (): string => randomUUID().replaceAll('-', '');

/** Returns a `Call-ID` of the form `<id>@<address>` (§2.4). */
export const newCallId = (): string => `${newId()}@${MEDIA_ADDRESS}`;

/** Returns the same 32-digit ID for the same parts, so that seeded IDs survive a reset. */
export const stableId = (...parts: string[]): string =>
	createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);

export function omit<T extends object, K extends keyof T>(item: T, ...keys: K[]): Omit<T, K> {
	const copy = { ...item };
	for (const key of keys) delete copy[key];
	return copy;
}

export const mapValues = <A, B>(
	from: Record<string, A>,
	change: (value: A) => B,
): Record<string, B> =>
	Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));

/** Parses JSON. Returns undefined for any other text. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
