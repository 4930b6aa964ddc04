import type {
	IExecuteFunctions,
	INodeExecutionData,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { CREDENTIAL, openPbx } from '../../parameters/credential';
import { toNodeError } from '../../parameters/nodeError';
import type { Scope } from '../../parameters/parameter';
import { callSettingsOf } from '../../pbx/credential';
import { inPublication, isStart } from '../runtime/managed';
import { HealthReporter } from '../runtime/nodeRuntime';
import { WAITS } from './calls';
import { checkEvery, readSettings, recordScope, scheduleOf } from './parameters';
import type { Progress } from './progress';
import { loadProgress, saveProgress } from './progress';
import { firstProgress, progressAfterLoss, readWindow, recentItems, STEP_MS } from './reading';
import type { Check, RecordContext, Settings } from './parameters';
import { Starts } from './starts';

const TITLE = 'Virtual PBX Call Record Trigger';
/** The time limit of a check, and when it starts no more downloads. */
const CHECK_MS = 300_000;
const DOWNLOADS_MS = 30_000;
/** For a test run, where a user waits. */
const TEST_MS = 60_000;
/** After n8n starts, its triggers don't check at the same moment. */
const SPREAD_MS = 20_000;

/**
 * Implements n8n's `trigger()`: checks the PBX on a schedule, and starts one execution per call. Throws
 * NodeOperationError for invalid parameters and NodeApiError if the PBX can't be read, but never when n8n starts.
 */
export async function startRecordTrigger(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const isByN8n = isStart(context);
	const trigger = new RecordTrigger(context, recordScope(context));
	if (isByN8n) {
		// The first check reports what fails: if this threw, n8n wouldn't start the trigger again.
		await trigger.begin(AbortSignal.timeout(CHECK_MS), true).catch(() => undefined);
	} else {
		await inPublication(context, async (deadline) => await trigger.begin(deadline, false));
	}
	const expression = scheduleOf(checkEvery.read(trigger.scope));
	context.helpers.registerCron({ expression }, async () => await trigger.check());
	void sleep(isByN8n ? SPREAD_MS * Math.random() : 0).then(async () => await trigger.check());
	return { closeFunction: async () => trigger.close() };
}

/**
 * Implements n8n's `execute()`: in a test run, returns recent calls. Else passes on the items that started the execution,
 * and notes the call in its custom data, by which n8n can search.
 */
export async function executeRecordTrigger(
	context: IExecuteFunctions,
): Promise<INodeExecutionData[][]> {
	if (context.getMode() === 'manual') {
		try {
			const signal = AbortSignal.timeout(TEST_MS);
			const read = (known: FromCredential) => readSettings(recordScope(context), known);
			const { check } = await openCheck(context, read, signal);
			return [await recentItems({ ...check, endsAt: Date.now() + TEST_MS })];
		} catch (error) {
			throw toNodeError(context, error);
		}
	}
	const items = context.getInputData();
	const { callId, customerNumber, employee } = items[0]?.json ?? {};
	const shown = Object.entries({ callId, customerNumber, employee });
	if (items.length === 1)
		for (const [name, value] of shown)
			if (typeof value === 'string') context.customData?.set(name, value);
	return [items];
}

/** Settings that come from the credential, which can change while the trigger is published. */
type FromCredential = Pick<Settings, 'country' | 'hasOnlyPhoneLegs'>;

/** Opens the PBX without sending anything, and finds the source of the records. */
async function openCheck(
	context: RecordContext,
	read: (known: FromCredential) => Settings,
	deadline: AbortSignal,
	signal?: AbortSignal,
): Promise<{ check: Check; source: string }> {
	const credential = await context.getCredentials(CREDENTIAL);
	const opened = await openPbx(context, { credential, deadline, ...(signal && { signal }) });
	const { country, loginId } = opened;
	const { hasOnlyPhoneLegs } = callSettingsOf(credential);
	const settings = read({ country, hasOnlyPhoneLegs });
	const { accountId, kind } = settings;
	const id = context.getNode().credentials?.[CREDENTIAL]?.id ?? '';
	const check = { context, pbx: opened.inAccount(accountId), settings };
	const source = [id, accountId ?? loginId, kind].join('/');
	return { check: { ...check, endsAt: Date.now() + DOWNLOADS_MS }, source };
}

/** One publication of a trigger. */
class RecordTrigger {
	private readonly closing = new AbortController();
	private readonly reporter: HealthReporter;
	private readonly starts: Starts;
	private progress: Progress | undefined;
	private settings: Settings | undefined;
	private checking: Promise<void> | undefined;

	constructor(
		private readonly context: ITriggerFunctions,
		readonly scope: Scope,
	) {
		this.reporter = new HealthReporter(context, TITLE, () => true);
		this.starts = new Starts(context, this.closing.signal, () => void this.check());
	}

	/** Finds where to start. Sends no request after n8n's start. */
	async begin(deadline: AbortSignal, isByN8n: boolean): Promise<void> {
		const { check, source } = await this.open(deadline);
		const known = loadProgress(this.context);
		// The next check starts over for another source.
		if (isByN8n && known && known.source !== source) return;
		if (isByN8n) this.progress = known ?? progressAfterLoss(source, check.settings);
		else await this.progressFor(check, source);
		if (this.progress) saveProgress(this.context, this.progress);
	}

	/** Reads what is new, and starts the workflow for it. Reports what fails once. Waits for a check under way. */
	async check(): Promise<void> {
		if (this.closing.signal.aborted) return;
		this.checking ??= this.checkNow().finally(() => {
			this.checking = undefined;
			if (this.settings && this.progress) this.starts.pump(this.settings, this.progress);
		});
		await this.checking;
	}

	private async checkNow(): Promise<void> {
		this.starts.wantsMore = false;
		try {
			const { check, source } = await this.open(AbortSignal.timeout(CHECK_MS));
			await this.read(check, await this.progressFor(check, source));
			this.reporter.resolve('check', 'the PBX can be read again.');
		} catch (error) {
			if (!this.closing.signal.aborted) this.reporter.reportFailure(error);
		}
	}

	close(): void {
		this.closing.abort();
	}

	private async open(deadline: AbortSignal) {
		const read = (known: FromCredential) => this.settingsFor(known);
		return await openCheck(this.context, read, deadline, this.closing.signal);
	}

	/** Reads the parameters once, unless the credential changes. */
	private settingsFor(known: FromCredential): Settings {
		const { settings } = this;
		const isUnchanged =
			settings?.country === known.country && settings?.hasOnlyPhoneLegs === known.hasOnlyPhoneLegs;
		return settings && isUnchanged ? settings : (this.settings = readSettings(this.scope, known));
	}

	private async progressFor(check: Check, source: string): Promise<Progress> {
		if (this.progress?.source === source) return this.progress;
		const known = loadProgress(this.context);
		const isKnown = known?.source === source;
		return (this.progress = isKnown ? known : await firstProgress(check, source));
	}

	/** Reads windows up to now, as long as what they contain can be queued. */
	private async read(check: Check, progress: Progress): Promise<void> {
		const { starts } = this;
		let stepMs = STEP_MS;
		while (!starts.isFull && !this.closing.signal.aborted) {
			starts.beginReading();
			const { due, isSettling, isLast, hasMoved } = await readWindow(check, progress, stepMs);
			const isEnough = isLast || check.settings.isPerCall || due.length >= check.settings.maxItems;
			const isLeft = isEnough && (await starts.add(check, due, progress));
			if (isLeft || isLast) {
				starts.wantsMore = isLeft;
				if (isSettling) void sleep(WAITS.settleMs).then(async () => await this.check());
				return;
			}
			starts.pump(check.settings, progress);
			// Crosses a long silence in growing steps.
			stepMs = hasMoved ? STEP_MS : 2 * stepMs;
		}
		starts.wantsMore = true;
	}
}
