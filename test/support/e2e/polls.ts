import { IS_RELEASE } from '../release';

/** When record triggers of tests poll: every minute before a release; else every 6 s, by ten schedules of a minute. */
export const POLL_TIMES = {
	item: IS_RELEASE
		? [{ mode: 'everyMinute' }]
		: Array.from({ length: 10 }, (_, turn) => ({
				mode: 'custom',
				cronExpression: `${turn * 6} * * * * *`,
			})),
};

/** How long a record may take to come with a poll, also where it is dated ahead of the clock, as quickened calls are. */
export const POLL_PATIENCE_MS = 120_000;
