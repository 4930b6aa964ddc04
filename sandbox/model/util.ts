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
