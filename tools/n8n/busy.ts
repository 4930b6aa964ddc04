import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What n8n 2.39 answers to a listening for a test event while the webhooks of another one are being removed: its cache
 * then holds what it cannot clone. It lasts as long as the removal.
 */
const BUSY = 'Maximum call stack size exceeded';
const TRIES = 10;
const PAUSE_MS = 500;

/**
 * Begins to listen for a test event, again and again while n8n is ending another listening.
 *
 * @param begin throws n8n's words where n8n refuses
 * @throws what the last try threw
 */
export async function unlessBusy<T>(begin: () => Promise<T>, tries = TRIES): Promise<T> {
	try {
		return await begin();
	} catch (error) {
		if (tries === 0 || !String(error).includes(BUSY)) throw error;
		await sleep(PAUSE_MS);
		return await unlessBusy(begin, tries - 1);
	}
}
