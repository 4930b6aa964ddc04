import { createHash, randomUUID } from 'node:crypto';

/** Address of the simulated media server; from the block reserved for documentation. */
export const MEDIA_ADDRESS = '192.0.2.10';

/** Gives a fresh 32-digit hexadecimal identifier, the form of every id of the platform. */
export const newId = (): string => randomUUID().replaceAll('-', '');

/** Gives a `Call-ID` of the form `<id>@<address>` (§2.4). */
export const newCallId = (): string => `${newId()}@${MEDIA_ADDRESS}`;

/** Gives the same 32-digit identifier for the same parts, so that seeded ids survive a reset. */
export const stableId = (...parts: string[]): string =>
	createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
