import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { isObject } from '../../util/json';
import { DAY_MS, HOUR_MS } from '../../util/time';
import { runtimeOf } from '../runtime/nodeRuntime';

/** This process's memory of a Call Record Trigger that polled in it. */
export class RecordTriggerState {
	workflow = '';
	workflowId = '';
	node = '';
	nodeId = '';
	/** Unix milliseconds. */
	lastPollAt = 0;
	/** The longest time between two polls by its poll times; undefined if these don't show it. */
	intervalMs: number | undefined;
	/** The error of the last poll. */
	error?: string | undefined;
	/** The newest cursor that a poll left, and the newest whose items n8n has surely taken. */
	latest?: unknown;
	taken?: unknown;
	/** The poll in progress, and when it ends at the latest. */
	running?: { endsAt: number } | undefined;
}

/** Returns a trigger's state after recording that it polls now, under its current names and poll times. */
export function updateState(context: IPollFunctions): RecordTriggerState {
	const runtime = runtimeOf(context);
	const { workflowId, nodeId } = runtime;
	return Object.assign(runtime.memory(RecordTriggerState), {
		...{ workflowId, nodeId },
		workflow: context.getWorkflow().name ?? '',
		node: context.getNode().name,
		lastPollAt: Date.now(),
		intervalMs: pollIntervalMs(context.getNodeParameter('pollTimes', {})),
	});
}

const MINUTE_MS = 60_000;

/**
 * Lists the triggers that haven't polled for longer than their poll times allow. n8n doesn't report an unpublishing.
 */
export function stoppedRecordTriggers(
	states: readonly RecordTriggerState[],
	now: number,
): RecordTriggerState[] {
	return states.filter(({ lastPollAt, intervalMs = Infinity, error }) => {
		// After a failure, n8n can back off for up to an hour.
		const slack = error === undefined ? Math.max(intervalMs, 5 * MINUTE_MS) : HOUR_MS;
		return now - lastPollAt > intervalMs + slack;
	});
}

const INTERVALS: Record<string, number> = {
	everyMinute: MINUTE_MS,
	everyHour: HOUR_MS,
	everyDay: DAY_MS,
	everyWeek: 7 * DAY_MS,
	everyMonth: 31 * DAY_MS,
};

/**
 * Returns the longest time between two polls in milliseconds, by n8n's Poll Times; undefined if these don't show it.
 */
export function pollIntervalMs(pollTimes: unknown): number | undefined {
	const items: unknown[] = isObject(pollTimes) ? [pollTimes.item].flat() : [];
	const intervals = items
		.map((item) => (isObject(item) ? intervalOf(item) : undefined))
		.filter((interval) => interval !== undefined);
	return intervals.length === 0 ? undefined : Math.min(...intervals);
}

function intervalOf({ mode, value, unit, cronExpression }: IDataObject): number | undefined {
	if (mode === 'everyX') return Number(value) * (unit === 'hours' ? HOUR_MS : MINUTE_MS);
	if (mode === 'custom') return cronInterval(String(cronExpression));
	return INTERVALS[String(mode)];
}

/** Returns the longest time between two matches of a cron expression, which can begin with seconds. */
function cronInterval(expression: string): number | undefined {
	const [weekday, month, day, hour, minute] = expression.trim().split(/\s+/).reverse();
	if (month !== '*') return undefined;
	if (day !== '*') return INTERVALS.everyMonth;
	if (weekday !== '*') return INTERVALS.everyWeek;
	if (hour !== '*') return DAY_MS;
	return minute === '*' ? MINUTE_MS : HOUR_MS;
}
