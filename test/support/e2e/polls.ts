import { IS_RELEASE } from '../release';

/** Every 6 s, by ten schedules of a minute. */
export const EVERY_6_SECONDS = {
	item: Array.from({ length: 10 }, (_, turn) => ({
		mode: 'custom',
		cronExpression: `${turn * 6} * * * * *`,
	})),
};

/** When the tests' record triggers poll: every minute before a release, else every 6 s. */
export const POLL_TIMES = IS_RELEASE ? { item: [{ mode: 'everyMinute' }] } : EVERY_6_SECONDS;

/** How long to wait for a polled record, even one dated ahead of the clock, as sped-up calls are. */
export const POLL_PATIENCE_MS = 120_000;
