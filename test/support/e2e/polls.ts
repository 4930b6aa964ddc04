import { IS_RELEASE } from '../release';

/** Polls every 6 s, with ten schedules per minute. */
export const EVERY_6_SECONDS = {
	item: Array.from({ length: 10 }, (_, turn) => ({
		mode: 'custom',
		cronExpression: `${turn * 6} * * * * *`,
	})),
};

/** How often the tests' record triggers poll: every minute for a release, else every 6 s. */
export const POLL_TIMES = IS_RELEASE ? { item: [{ mode: 'everyMinute' }] } : EVERY_6_SECONDS;

/** How long to wait for a polled record, even one dated ahead of real time, as accelerated calls are. */
export const POLL_PATIENCE_MS = 120_000;

/** The pause between two tries of a CRM's node. A release waits as the workflows do. */
export const RETRY_MS = IS_RELEASE ? 5000 : 1000;
