import fc from 'fast-check';
import type { IDataObject, IRun, ITriggerFunctions } from 'n8n-workflow';

import { dialectOf } from '../../../../nodes/VirtualPbx/pbx/credential';
import type { Pbx } from '../../../../nodes/VirtualPbx/pbx/client';
import type { PbxRequest } from '../../../../nodes/VirtualPbx/pbx/types';
import type { Settings } from '../../../../nodes/VirtualPbx/triggers/callRecord/parameters';
import { startRecordTrigger } from '../../../../nodes/VirtualPbx/triggers/callRecord/trigger';
import { nodeRuntimes } from '../../../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';
import { gregorianToUnixMs, unixToGregorian } from '../../../../nodes/VirtualPbx/util/time';
import { bounds, isFound, pbxBy } from '../../support/rangePbx';
import type { Bounds } from '../../support/rangePbx';

/** The world that the trigger lives in. */
let world: World;
const enter = (next: World) => void (world = next);

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (milliseconds: number) => await world.sleep(milliseconds),
}));
jest.mock('../../../../nodes/VirtualPbx/parameters/credential', () => ({
	openPbx: async () => ({ inAccount: () => world.pbx, loginId: 'test' }),
}));
jest.mock('../../../../nodes/VirtualPbx/triggers/callRecord/parameters', () => ({
	...jest.requireActual<object>('../../../../nodes/VirtualPbx/triggers/callRecord/parameters'),
	readSettings: () => world.settings,
}));
beforeEach(() => {
	jest.spyOn(Date, 'now').mockImplementation(() => world.now + world.clockOffMs);
	jest.spyOn(performance, 'now').mockImplementation(() => world.now);
});
afterEach(() => jest.restoreAllMocks());

/** The moment at which the trigger is activated. */
export const START = Date.UTC(2026, 10, 20, 12);

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

/** Where n8n dies: before it stores the static data, before it stores the execution, or while this runs. */
export type Death = 'beforeSaving' | 'beforeStoring' | 'whileRunning';

/** A PBX of happenings, clocks, and an n8n that saves static data only when it starts an execution. */
export class World {
	now = START;
	failNext = 0;
	/** The longest range that was asked for, in seconds. */
	longest = 0;
	/** How far n8n's clock is off, in milliseconds. */
	clockOffMs = 0;
	/** How many rows a page holds, and by what key the next one begins; by default, all come at once. */
	pages: { size: number; key: 'place' | 'time' } | undefined;
	/** All executions that n8n has stored, by key, and their items. */
	readonly executions = new Map<string, IDataObject[]>();
	/** Kills n8n at the so-manieth execution from now. */
	death: { after: number; at: Death } | undefined;
	readonly pbx: Pbx;
	private stored = '{}';
	private tick: (() => unknown) | undefined;
	private close: (() => Promise<void>) | undefined;
	private timers: Array<{ at: number; resolve: () => void }> = [];

	constructor(
		readonly happenings: Happening[],
		readonly settings: Settings,
		readonly habits: Habits = { fromInclusive: true, toInclusive: true, order: 'asc' },
		stamp: 'begin' | 'end' = 'end',
	) {
		enter(this);
		const dialect = dialectOf(stamp === 'begin' ? 'kazoo' : 'contract');
		this.pbx = pbxBy(async (request) => this.answer(request), dialect);
		nodeRuntimes.clear();
	}

	get emitted(): IDataObject[] {
		return [...this.executions.values()].flat();
	}

	async sleep(milliseconds: number): Promise<void> {
		await new Promise<void>((resolve) => {
			this.timers.push({ at: this.now + milliseconds, resolve });
		});
	}

	/** Publishes, or starts n8n. A PBX that fails then makes a publication fail. */
	async publish(mode: 'activate' | 'init' = 'activate'): Promise<void> {
		const staticData = JSON.parse(this.stored) as IDataObject;
		const life = { isOver: false };
		const context = {
			getNode: () => ({ id: 'node', name: 'Calls', credentials: {} }),
			getWorkflow: () => ({ id: 'workflow', name: 'Log' }),
			getActivationMode: () => mode,
			getMode: () => 'trigger',
			getWorkflowStaticData: () => staticData,
			getNodeParameter: (_: string, byDefault: unknown) => byDefault,
			getCredentials: async () => ({}),
			saveFailedExecution: () => undefined,
			logger: { info: () => undefined, warn: () => undefined },
			emit: (...[[items = []], , done, key = '']: Parameters<ITriggerFunctions['emit']>) => {
				if (life.isOver) return;
				const at = this.death && this.death.after-- <= 0 ? this.death.at : undefined;
				life.isOver = at !== undefined;
				if (at === 'beforeSaving') return;
				this.stored = JSON.stringify(staticData);
				if (at === 'beforeStoring') return;
				const isKnown = this.executions.has(key);
				if (!isKnown)
					this.executions.set(
						key,
						items.map(({ json }) => json),
					);
				if (at === undefined) done?.resolve((isKnown ? undefined : { status: 'success' }) as IRun);
			},
			helpers: {
				registerCron: (_: unknown, tick: () => unknown) => void (this.tick = tick),
				createDeferredPromise: () => {
					const made: { promise?: Promise<IRun> } = {};
					const settle = (resolve: unknown, reject: unknown) =>
						Object.assign(made, { resolve, reject });
					made.promise = new Promise(settle);
					return made;
				},
			},
		};
		const { closeFunction } = await startRecordTrigger(context as unknown as ITriggerFunctions);
		this.close = async () => {
			life.isOver = true;
			await closeFunction?.();
		};
		this.stored = JSON.stringify(staticData);
		await this.settle();
	}

	private answer({ query = {} }: PbxRequest) {
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

	/** Where the key is the time, as on a Kazoo, rows have IDs, and those of one second come on both sides of a seam. */
	private pageOf(found: readonly Happening[], start: unknown): IDataObject {
		const { size, key } = this.pages ?? { size: Infinity, key: 'place' };
		const keys = found.map(({ foundBy }, place) =>
			key === 'place' ? place : unixToGregorian(Math.floor(foundBy / 1000)),
		);
		const begin = start === undefined ? 0 : keys.indexOf(Number(start));
		const idOf = (one: Happening) =>
			key === 'time' ? { id: `202611-${this.happenings.indexOf(one)}` } : {};
		const page = found.slice(begin, begin + size).map((one) => ({ ...idOf(one), ...one.record }));
		return { data: page, next_start_key: keys[begin + size] };
	}

	/** Runs the check of the schedule, and 15 s later what it left for then. */
	async poll(): Promise<void> {
		if (!this.tick) await this.publish().catch(() => undefined);
		this.fire();
		await this.tick?.();
		await this.settle();
		this.now += 15_000;
		this.fire();
		await this.settle();
		if (this.death && this.death.after < 0) await this.restart();
	}

	private fire(): void {
		const due = this.timers.filter(({ at }) => at <= this.now);
		this.timers = this.timers.filter(({ at }) => at > this.now);
		for (const { resolve } of due) resolve();
	}

	private async settle(): Promise<void> {
		for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
	}

	/** Polls every minute, so many times. */
	async pollFor(minutes: number): Promise<void> {
		for (let minute = 0; minute < minutes; minute++, this.now += 45_000) await this.poll();
	}

	/** A crash: what was not saved is gone. */
	async restart(): Promise<void> {
		this.death = undefined;
		await this.close?.();
		nodeRuntimes.clear();
		this.timers = [];
		await this.publish('init');
	}

	/** Handled records kept for the next poll. */
	get stateSize(): number {
		const { virtualPbxRecords = {} } = JSON.parse(this.stored) as IDataObject;
		const { node = '{}' } = virtualPbxRecords as IDataObject;
		const { seen = {} } = JSON.parse(String(node)) as { seen?: object };
		return Object.keys(seen).length;
	}
}

/** A multiset of records as sorted texts, for comparing. */
export function bag(records: readonly IDataObject[]): string[] {
	return records.map((record) => JSON.stringify(record)).sort();
}

export const settingsOf = (changes: Partial<Settings>): Settings => ({
	...{ kind: 'newCallRecord', firstRun: { kind: 'now' }, filters: { countVoicemail: true } },
	...{ simplify: false, includeDetails: false, looksUpEmployees: false, attachTo: undefined },
	...{ isPerCall: true, maxItems: 500, maxAttempts: 1, hasOnlyPhoneLegs: false },
	...{ accountId: undefined, country: undefined, waitMs: 3_600_000, lookBackMs: 7_200_000 },
	...changes,
});

/** A CDR as the contract has it: every value a string. */
export const cdrOf = (unixMs: number, changes: IDataObject = {}): IDataObject => ({
	...{ CALL_DIRECTION: 'inbound', BRIDGE_ID: 'a@10.0.0.5', ACCOUNT_ID: 'acc' },
	...{ CALLER_ID_NUMBER: 'sip:12125550123@h', CALLEE_ID_NUMBER: 'sip:100@h' },
	TIMESTAMP: String(unixToGregorian(Math.floor(unixMs / 1000))),
	...{ BILLING_SECONDS: '30', HANGUP_CAUSE: 'NORMAL_CLEARING', REC_FILE: '', REC_LINK: '' },
	...changes,
});

/** Waits, polls, failures and restarts, in any order. */
export type Step = { kind: 'poll' | 'fail' | 'restart' | Death; wait: number };

/** A step whose waits are at most so long, in milliseconds. */
export const stepUpTo = (longest: number): fc.Arbitrary<Step> =>
	fc.record({
		kind: fc.constantFrom<Step['kind']>(
			...(['poll', 'poll', 'poll', 'poll', 'fail', 'restart'] as const),
			...(['beforeSaving', 'beforeStoring', 'whileRunning'] as const),
		),
		wait: fc.integer({ min: 0, max: longest }),
	});

/** Publishes, takes the steps, and then polls without faults until `end`. */
export async function live(world: World, steps: readonly Step[], end: number): Promise<void> {
	await world.poll();
	for (const { kind, wait } of steps) {
		world.now += wait;
		if (kind === 'restart') await world.restart();
		else if (kind === 'fail') world.failNext = 1;
		else if (kind !== 'poll') world.death = { after: wait % 3, at: kind };
		await world.poll();
		world.failNext = 0;
	}
	world.death = undefined;
	for (; world.now < end; world.now += 2_820_000) await world.poll();
}
