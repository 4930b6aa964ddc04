import {
	pollIntervalMs,
	stoppedRecordTriggers,
} from '../../../../nodes/VirtualPbx/triggers/callRecord/recordTriggerState';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('how often a record trigger should poll', () => {
	it.each<[string, unknown, number | undefined]>([
		['every minute', [{ mode: 'everyMinute' }], MINUTE],
		['every hour', [{ mode: 'everyHour', minute: 5 }], HOUR],
		['every day', [{ mode: 'everyDay' }], DAY],
		['every week', [{ mode: 'everyWeek' }], 7 * DAY],
		['every month', [{ mode: 'everyMonth' }], 31 * DAY],
		['every 5 minutes', [{ mode: 'everyX', value: 5, unit: 'minutes' }], 5 * MINUTE],
		['every 2 hours', [{ mode: 'everyX', value: 2, unit: 'hours' }], 2 * HOUR],
		['the shortest of several', [{ mode: 'everyDay' }, { mode: 'everyHour' }], HOUR],
		['a cron of each minute', [{ mode: 'custom', cronExpression: '* * * * *' }], MINUTE],
		['a cron with seconds', [{ mode: 'custom', cronExpression: '6 * * * * *' }], MINUTE],
		['a cron of some minutes', [{ mode: 'custom', cronExpression: '*/5 * * * *' }], HOUR],
		['a cron of some hours', [{ mode: 'custom', cronExpression: '0 8-18 * * *' }], DAY],
		['a cron of work days', [{ mode: 'custom', cronExpression: '0 8 * * 1-5' }], 7 * DAY],
		['a cron of some days', [{ mode: 'custom', cronExpression: '0 8 1 * *' }], 31 * DAY],
		['a cron of one month', [{ mode: 'custom', cronExpression: '0 8 1 1 *' }], undefined],
		['no poll times', [], undefined],
		['something else', 'x', undefined],
	])('%s', (_, item, expected) => {
		expect(pollIntervalMs({ item })).toBe(expected);
	});
});

describe('record triggers that have stopped', () => {
	const names = { workflowId: 'w', workflow: 'W', nodeId: 'n', node: 'N' };
	const stopped = (agoMs: number, intervalMs: number | undefined, error?: string) =>
		stoppedRecordTriggers([{ ...names, lastPollAt: 1e12 - agoMs, intervalMs, error }], 1e12).length;

	it('are those that did not poll for twice their time', () => {
		expect([stopped(2 * MINUTE, MINUTE), stopped(7 * MINUTE, MINUTE)]).toEqual([0, 1]);
		expect([stopped(2 * HOUR, HOUR), stopped(2 * HOUR + 1, HOUR)]).toEqual([0, 1]);
	});

	it("have an hour for n8n's back-off after an error", () => {
		expect([stopped(61 * MINUTE, MINUTE, 'x'), stopped(62 * MINUTE, MINUTE, 'x')]).toEqual([0, 1]);
	});

	it('are not known where the poll times tell nothing', () => {
		expect(stopped(100 * DAY, undefined)).toBe(0);
	});
});
