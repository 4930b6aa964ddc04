import type { IDataObject } from 'n8n-workflow';

import { compareTexts } from '../util/json';
import type { LocalTime } from '../util/time';
import { DAY_MS } from '../util/time';
import type { Call } from './call';
import type { Contact } from './missedCallers';
import { contactOf, isContactAfter } from './missedCallers';

/** Everything that calls can be grouped by, in the alphabetical order of the names. */
export const DIMENSIONS = [
	{ name: 'Call Type', value: 'callType', description: 'Incoming, internal, or outgoing' },
	{ name: 'Company Number', value: 'companyNumber', description: 'Your number that was called' },
	{ name: 'Day', value: 'day', description: 'The day on which the call ended' },
	{ name: 'Employee', value: 'employee', description: 'The extension or SIP user' },
	{ name: 'Hour', value: 'hour', description: 'The hour of the day, from 0 to 23' },
	{ name: 'Outcome', value: 'outcome', description: 'How the call ended' },
	{ name: 'Weekday', value: 'weekday', description: 'Monday to Sunday' },
] as const;

export type Dimension = (typeof DIMENSIONS)[number]['value'];

/** A value that groups calls; null if unknown. */
export type GroupValue = string | number | null;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

type Reader = (call: Call, time: LocalTime | undefined) => GroupValue | undefined;

const READERS: Record<Dimension, Reader> = {
	callType: ({ type }) => type,
	companyNumber: ({ company }) => company?.number,
	day: (_, time) => time?.day,
	employee: ({ employee }) => employee?.user,
	hour: (_, time) => time?.hour,
	outcome: ({ outcome }) => outcome,
	weekday: (_, time) => WEEKDAYS[(time?.weekday ?? 0) - 1],
};

/** Returns the value of a call in a dimension. `time` is when it ended; undefined if unknown. */
function valueIn(dimension: Dimension, ...given: Parameters<Reader>): GroupValue {
	return READERS[dimension](...given) ?? null;
}

/** Orders values of a dimension: weekdays from Monday, numbers by size, texts by alphabet, and unknown ones last. */
function compareValues(a: GroupValue = null, b: GroupValue = null): number {
	if (a === b) return 0;
	if (a === null || b === null) return a === null ? 1 : -1;
	if (typeof a === 'number' && typeof b === 'number') return a - b;
	const [one, other] = [String(a), String(b)];
	const days = [WEEKDAYS.indexOf(one), WEEKDAYS.indexOf(other)];
	return (days[0] ?? 0) - (days[1] ?? 0) || compareTexts(one, other);
}

/** How long after a missed call a contact counts as its follow-up, in milliseconds. */
export const FOLLOW_UP_MS = 7 * DAY_MS;

/** An answered call with an outside number. */
type Answered = Pick<Contact, 'at' | 'isIncoming' | 'talkSeconds'>;

/** The first contact after a missed call. */
export interface FollowUp {
	/** Whether the caller called again and got through, rather than being called back. */
	isIncoming: boolean;
	/** From the end of the missed call until the contact was answered. */
	seconds: number;
}

/** Finds the first contact after each missed call, in a stream of calls, newest first. */
class FollowUps {
	private readonly contacts = new Map<string, Answered[]>();
	private prunedAt = Infinity;

	/** Adds an answered call with the number of a key. Drops contacts that are too late to follow calls still to come. */
	add(key: string, { at, isIncoming, talkSeconds }: Answered): void {
		const contact = { at, isIncoming, talkSeconds };
		const known = this.contacts.get(key);
		if (known) known.push(contact);
		else this.contacts.set(key, [contact]);
		if (at > this.prunedAt - FOLLOW_UP_MS / 7) return;
		this.prunedAt = at;
		this.prune(at);
	}

	/** Returns the follow-up of a missed call that ended at `missedAt`; undefined if there is none within a week. */
	after(key: string, missedAt: number): FollowUp | undefined {
		const [first] = (this.contacts.get(key) ?? [])
			.filter(
				(contact) => contact.at - missedAt <= FOLLOW_UP_MS && isContactAfter(contact, missedAt),
			)
			.sort(byAnswer);
		if (first === undefined) return undefined;
		const waitMs = first.at - first.talkSeconds * 1000 - missedAt;
		return { isIncoming: first.isIncoming, seconds: Math.max(0, Math.round(waitMs / 1000)) };
	}

	private prune(now: number): void {
		for (const [key, contacts] of this.contacts) {
			const left = contacts.filter(({ at }) => at - now <= FOLLOW_UP_MS);
			if (left.length === 0) this.contacts.delete(key);
			else if (left.length < contacts.length) this.contacts.set(key, left);
		}
	}
}

/** Of contacts that ended in the same second, puts call backs first, then the one that was answered first. */
function byAnswer(one: Answered, other: Answered): number {
	return (
		one.at - other.at ||
		Number(one.isIncoming) - Number(other.isIncoming) ||
		other.talkSeconds - one.talkSeconds
	);
}

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

export interface CountedCall {
	call: Call;
	/** When it ended, in Unix milliseconds; `-Infinity` if unknown. */
	at: number;
	/** Whether the figures include it. Other calls only show who was called back. */
	isCounted: boolean;
}

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
