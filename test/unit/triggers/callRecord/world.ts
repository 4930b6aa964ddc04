import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Pbx } from '../../../../nodes/VirtualPbx/pbx/client';
import type { PbxRequest } from '../../../../nodes/VirtualPbx/pbx/http/connection';
import type { Cursor } from '../../../../nodes/VirtualPbx/triggers/callRecord/cursor';
import type { Settings } from '../../../../nodes/VirtualPbx/triggers/callRecord/settings';
import { firstPoll, pollWindows } from '../../../../nodes/VirtualPbx/triggers/callRecord/window';
import { gregorianToUnixMs, unixToGregorian } from '../../../../nodes/VirtualPbx/util/time';
import { bounds, isFound, pbxBy } from '../../support/rangePbx';
import type { Bounds } from '../../support/rangePbx';

/** What the trigger's waiting does to the clock of the world that polls. */
let pass: (milliseconds: number) => void = () => undefined;

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (milliseconds: number) => pass(milliseconds),
}));

/** The moment at which the trigger is activated. */
export const START = Date.UTC(2026, 10, 20, 12);
const SOURCE = 'test';

/** A record of the world: when it can first be read, by what time the PBX finds it, and the record. */
export interface Happening {
	appearsAt: number;
	foundBy: number;
	record: IDataObject;
}

/** A record that is found and can be read from its time on, with changes; `appearsAt` where it comes later. */
export const happening = (at: number, changes: IDataObject = {}, appearsAt = at): Happening => ({
	appearsAt,
	foundBy: at,
	record: cdrOf(at, changes),
});

/** How this PBX reads and sorts a range, which the contract leaves open. */
export type Habits = Bounds & { order: 'asc' | 'desc' };

export const habits: fc.Arbitrary<Habits> = fc
	.tuple(bounds, fc.constantFrom('asc' as const, 'desc' as const))
	.map(([ways, order]) => ({ ...ways, order }));

/** A PBX of happenings, a clock, and an n8n that saves static data only when a poll gives items. */
export class World {
	now = START;
	failNext = 0;
	/** The longest range that was asked for, in seconds. */
	longest = 0;
	/** How long a poll may take, and how long the PBX takes for an answer. */
	budgetMs = Infinity;
	answerMs = 0;
	/** How far n8n's clock is off, in milliseconds. */
	clockOffMs = 0;
	/** How long two polls may lie apart by the poll times. */
	intervalMs: number | undefined;
	/** How many rows a page holds, and by what key the next one begins; by default, all come at once. */
	pages: { size: number; key: 'place' | 'time' } | undefined;
	private memory: Cursor | undefined;
	private saved: Cursor | undefined;
	readonly emitted: IDataObject[] = [];

	constructor(
		readonly happenings: Happening[],
		readonly settings: Settings,
		readonly habits: Habits = { fromInclusive: true, toInclusive: true, order: 'asc' },
	) {}

	private get pbx(): Pbx {
		return pbxBy(async (request) => this.answer(request));
	}

	private answer({ query = {} }: PbxRequest) {
		this.now += this.answerMs;
		if (this.failNext > 0 && --this.failNext === 0) throw new Error('The PBX failed');
		this.longest = Math.max(this.longest, Number(query.created_to) - Number(query.created_from));
		const [from, to] = [query.created_from, query.created_to].map((time) =>
			gregorianToUnixMs(Number(time)),
		);
		const isNear = (at: number) => at >= (from ?? 0) - 1000 && at <= (to ?? 0) + 1000;
		const found = this.happenings.filter(
			({ appearsAt, foundBy }) =>
				appearsAt <= this.now &&
				isNear(foundBy) &&
				isFound(unixToGregorian(Math.floor(foundBy / 1000)), query, this.habits),
		);
		found.sort((a, b) => (this.habits.order === 'asc' ? 1 : -1) * (a.foundBy - b.foundBy));
		return this.pageOf(found, query.start_key);
	}

	/** Where the key is the time, rows of one second come on both sides of a seam. */
	private pageOf(found: readonly Happening[], start: unknown): IDataObject {
		const { size, key } = this.pages ?? { size: Infinity, key: 'place' };
		const keys = found.map(({ foundBy }, place) =>
			key === 'place' ? place : unixToGregorian(Math.floor(foundBy / 1000)),
		);
		const begin = start === undefined ? 0 : keys.indexOf(Number(start));
		const page = found.slice(begin, begin + size).map(({ record }) => ({ ...record }));
		return { data: page, next_start_key: keys[begin + size] };
	}

	/** One poll as n8n does it: what fails changes nothing, and of one that is killed nothing is kept. */
	async poll({ isKilled = false } = {}): Promise<INodeExecutionData[]> {
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => this.now + this.clockOffMs);
		const { pbx, settings, intervalMs } = this;
		const endsAt = Date.now() + this.budgetMs;
		const poll = { context: {} as IPollFunctions, pbx, settings, endsAt, intervalMs };
		pass = (milliseconds) => void (this.now += milliseconds);
		try {
			const known = this.memory;
			const { items, cursor } = known
				? await pollWindows(poll, known)
				: await firstPoll(poll, SOURCE);
			if (isKilled) {
				this.restart();
				return [];
			}
			this.memory = JSON.parse(JSON.stringify(cursor)) as Cursor;
			if (!known || items.length > 0) this.saved = this.memory;
			this.emitted.push(...items.map(({ json }) => json));
			return items;
		} catch (error) {
			if ((error as Error).message !== 'The PBX failed') throw error;
			return [];
		} finally {
			clock.mockRestore();
		}
	}

	/** Polls every minute, so many times. */
	async pollFor(minutes: number): Promise<void> {
		for (let minute = 0; minute < minutes; minute++, this.now += 60_000) await this.poll();
	}

	/** A crash: what was not saved is gone. */
	restart(): void {
		this.memory = this.saved;
	}

	/** Handled records kept for the next poll. */
	get stateSize(): number {
		return Object.keys(this.memory?.seen ?? {}).length;
	}
}

/** A multiset of records as sorted texts, for comparing. */
export function bag(records: readonly IDataObject[]): string[] {
	return records.map((record) => JSON.stringify(record)).sort();
}

export const settingsOf = (changes: Partial<Settings>): Settings => ({
	kind: 'newCallRecord',
	simplify: false,
	attachTo: undefined,
	giveUpMs: 3_600_000,
	firstRun: { kind: 'now' },
	filters: { countVoicemail: true },
	includeDetails: false,
	maxItems: 500,
	accountId: undefined,
	country: undefined,
	overlapMs: 7_200_000,
	...changes,
});

const gregorianText = (unixMs: number) => String(unixToGregorian(Math.floor(unixMs / 1000)));

/** A CDR as the contract has it: every value a string. */
export const cdrOf = (unixMs: number, changes: IDataObject = {}): IDataObject => ({
	CALL_DIRECTION: 'inbound',
	BRIDGE_ID: 'a@10.0.0.5',
	CALLEE_ID_NUMBER: 'sip:100@demo.sandbox.local',
	CALLER_ID_NUMBER: 'sip:74951234567@demo.sandbox.local',
	TIMESTAMP: gregorianText(unixMs),
	BILLING_SECONDS: '30',
	HANGUP_CAUSE: 'NORMAL_CLEARING',
	ACCOUNT_ID: 'acc',
	REC_FILE: '',
	REC_LINK: '',
	...changes,
});

/** Waits, polls, failures and restarts, in any order. */
export type Step = { kind: 'poll' | 'fail' | 'restart'; wait: number };

/** A step whose waits are at most so long, in milliseconds. */
export const stepUpTo = (longest: number): fc.Arbitrary<Step> =>
	fc.record({
		kind: fc.constantFrom('poll', 'poll', 'poll', 'poll', 'poll', 'fail', 'restart'),
		wait: fc.integer({ min: 0, max: longest }),
	});

/** Activates, takes the steps, and then polls without faults until `end`. */
export async function live(world: World, steps: readonly Step[], end: number): Promise<void> {
	await world.poll();
	for (const { kind, wait } of steps) {
		world.now += wait;
		if (kind === 'restart') world.restart();
		if (kind === 'fail') world.failNext = 1;
		await world.poll();
		world.failNext = 0;
	}
	for (; world.now < end; world.now += 2_820_000) await world.poll();
}
