import type { IDataObject } from 'n8n-workflow';

import type { LocalTime } from '../util/time';
import type { Call } from './call';
import type { Dimension, GroupValue } from './dimensions';
import { compareValues, valueIn } from './dimensions';
import { FollowUps } from './followUps';
import { contactOf } from './missedCallers';

/** How to group and count calls. */
export interface StatisticsRules {
	groupBy: readonly Dimension[];
	/** Whether a call that reached only the PBX itself counts as missed. */
	countVoicemail: boolean;
	/** Reads Unix milliseconds in the workflow's time zone. */
	clock: (unixMs: number) => LocalTime;
	/** Returns a key that is equal for all forms of a number. */
	keyOf: (number: string) => string;
	/** Returns a company number as outputs show it. */
	shown: (number: string) => string;
}

/** One call to add. */
export interface CountedCall {
	call: Call;
	/** When it ended, in Unix milliseconds; `-Infinity` if unknown. */
	at: number;
	/** Whether the figures include it. Other calls only show who was called back. */
	isCounted: boolean;
}

/** The figures of one group so far. */
interface Group {
	values: readonly GroupValue[];
	calls: number;
	answered: number;
	missed: number;
	voicemail: number;
	talkSeconds: number;
	longest: number;
	callers: Set<number>;
	/** By missed caller: whether the last missed call of the group has been seen. */
	missedCallers: Map<number, boolean>;
	/** How many callers called again and got through. */
	cameThrough: number;
	/** For each caller who was called back, after how many seconds. */
	waits: number[];
}

/**
 * Counts calls by group. Takes them newest first, and keeps no calls: only each caller's number, the callers of each
 * group, and the answered calls within a week after the call being added.
 */
export class CallStatistics {
	private readonly groups = new Map<string, Group>();
	private readonly callers = new Map<string, number>();
	private readonly followUps = new FollowUps();
	/** The sum of all groups' callers, with which memory use grows. */
	callersKept = 0;

	constructor(private readonly rules: StatisticsRules) {
		if (rules.groupBy.length === 0) this.groupOf([]);
	}

	/** The number of groups. */
	get size(): number {
		return this.groups.size;
	}

	/** Adds a call, not newer than the one before. */
	add({ call, at, isCounted }: CountedCall): void {
		const isMissed = isCounted && call.isMissed(this.rules.countVoicemail) === true;
		const contact = contactOf(call, { at, isMissed });
		const key = contact.number === undefined ? '' : this.rules.keyOf(contact.number);
		if (isCounted) {
			const group = this.groupOf(this.valuesOf(call, at));
			countCall(group, call, isMissed);
			if (contact.isIncoming) this.countCaller(group, key, isMissed ? at : undefined);
		}
		if (contact.isAnswered && key !== '') this.followUps.add(key, contact);
	}

	/** Returns one item per group, in order. */
	items(): IDataObject[] {
		return [...this.groups.values()].sort(byValues).map((group) => ({
			...Object.fromEntries(this.rules.groupBy.map((name, index) => [name, group.values[index]])),
			...figuresOf(group),
		}));
	}

	private valuesOf(call: Call, at: number): GroupValue[] {
		const { groupBy, clock, shown } = this.rules;
		const time = at === -Infinity ? undefined : clock(at);
		return groupBy.map((name) => {
			const value = valueIn(name, call, time);
			return name === 'companyNumber' && typeof value === 'string' ? shown(value) : value;
		});
	}

	private groupOf(values: readonly GroupValue[]): Group {
		const key = values.map((value) => value ?? '').join('\n');
		let group = this.groups.get(key);
		if (group === undefined) {
			group = newGroup(values);
			this.groups.set(key, group);
		}
		return group;
	}

	/** All anonymous callers, with an empty key, count as one. `missedAt` is undefined if the call wasn't missed. */
	private countCaller(group: Group, key: string, missedAt: number | undefined): void {
		const caller = this.callers.get(key) ?? this.callers.size;
		this.callers.set(key, caller);
		if (!group.callers.has(caller)) this.callersKept++;
		group.callers.add(caller);
		if (missedAt === undefined || group.missedCallers.get(caller) === true) return;
		const isTimed = missedAt !== -Infinity;
		group.missedCallers.set(caller, isTimed);
		const followUp = isTimed ? this.followUps.after(key, missedAt) : undefined;
		if (followUp?.isIncoming === true) group.cameThrough++;
		else if (followUp) group.waits.push(followUp.seconds);
	}
}

function newGroup(values: readonly GroupValue[]): Group {
	const counts = { calls: 0, answered: 0, missed: 0, voicemail: 0, cameThrough: 0 };
	const callers = { callers: new Set<number>(), missedCallers: new Map<number, boolean>() };
	return { values, ...counts, talkSeconds: 0, longest: 0, ...callers, waits: [] };
}

function countCall(group: Group, { outcome, talk = 0 }: Call, isMissed: boolean): void {
	group.calls++;
	if (outcome === 'answered') group.answered++;
	if (outcome === 'voicemail') group.voicemail++;
	if (isMissed) group.missed++;
	group.talkSeconds += talk;
	group.longest = Math.max(group.longest, talk);
}

function byValues({ values }: Group, { values: others }: Group): number {
	return values.reduce<number>(
		(order, value, index) => order || compareValues(value, others[index]),
		0,
	);
}

function figuresOf(group: Group): IDataObject {
	const { calls, answered, missed, voicemail, talkSeconds, longest, callers, waits } = group;
	return {
		calls,
		answered,
		missed,
		voicemail,
		answeredPercent: calls === 0 ? null : Math.round((1000 * answered) / calls) / 10,
		talkSeconds,
		averageTalkSeconds: answered === 0 ? null : Math.round(talkSeconds / answered),
		longestTalkSeconds: longest,
		callers: callers.size,
		missedCallers: group.missedCallers.size,
		calledBack: waits.length,
		cameThrough: group.cameThrough,
		medianSecondsToCallBack: medianOf(waits),
	};
}

function medianOf(seconds: readonly number[]): number | null {
	const sorted = [...seconds].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
	return low === undefined || high === undefined ? null : Math.round((low + high) / 2);
}
