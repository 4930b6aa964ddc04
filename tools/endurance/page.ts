import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { readStored, store } from '../bench/results';
import type { Stamp } from '../bench/results';
import { putParts } from '../marks';
import { ROOT } from '../n8n';
import type { KeptCalls } from './calls';
import type { Kept } from './kept';
import { MODES } from './rig';
import type { Soaked } from './soak';
import { ENGINES } from './storm';
import type { Stormed } from './storm';

/** The page that the figures stand in. */
export const DOCUMENT = path.join(ROOT, 'docs/reliability.md');
/** The page of the front door. */
export const FRONT_DOOR = path.join(ROOT, 'docs/front-door.md');

/** Stores the result of a run. */
export const writeResult = (name: string, result: object): void =>
	store('reliability', name, result);

const readResult = <T>(name: string): (T & Stamp) | undefined => readStored<T>('reliability', name);

/** Puts the stored results into a page, between its marks. */
export function intoPage(page: string): string {
	return putParts(page, {
		kept: keptPart(),
		'kept-field': keptCallsPart(),
		soak: soakPart(),
		storm: stormPart(),
	});
}

/** The stored runs of a name in both modes. */
function runsOf<T>(name: string) {
	return MODES.flatMap((mode) => {
		const run = readResult<T & { seed: number }>(`${name}-${mode}`);
		return run ? [{ mode, ...run }] : [];
	});
}

/** A table with a column for each run, and below it when and where each was made. */
function columns<T extends Stamp & { mode: string; seed: number }>(
	runs: readonly T[],
	rows: ReadonlyArray<readonly [string, (run: T) => string | number]>,
): string {
	const lines = rows.map(([name, cell]): string[] => [
		name,
		...runs.map((run) => String(cell(run))),
	]);
	return [
		markdownTable([['', ...runs.map(({ mode }) => `${mode} mode`)], ...lines]),
		...runs.map((run) => `_${run.mode} mode: seed ${run.seed}, ${stampWords(run)}._`),
	].join('\n\n');
}

function keptPart(): string {
	return columns(runsOf<Kept>('kept'), [
		['events sent', ({ events }) => number(events)],
		['got 200', ({ acknowledged }) => number(acknowledged)],
		['**got 200 but have no execution**', ({ lost }) => `**${lost}**`],
		['failed executions that lost their data', ({ blank }) => blank],
		['never got 200 in all retries', ({ givenUp }) => givenUp],
		['delivery attempts', ({ tries }) => number(tries)],
		['events with two executions', ({ twice }) => twice],
		['executions', ({ executions }) => list(executions)],
		['interruptions', ({ harms }) => list(harms)],
	]);
}

function keptCallsPart(): string {
	return columns(runsOf<KeptCalls>('kept-field'), [
		['calls', ({ calls }) => number(calls)],
		['their events, one for the end of each leg', ({ events }) => number(events)],
		['got 200', ({ acknowledged }) => number(acknowledged)],
		['**events lost**', ({ events, acknowledged }) => `**${number(events - acknowledged)}**`],
		['not sent, because the webhook was disabled', ({ notSent }) => number(notSent)],
		['sent once and not repeated', ({ failed }) => list(failed) || 0],
		['calls from the event trigger', ({ toldByEvent }) => number(toldByEvent)],
		[
			'calls only from the Call Record Trigger',
			({ toldByRecordAlone }) => number(toldByRecordAlone),
		],
		['**calls lost**: from neither trigger', ({ lost }) => `**${lost}**`],
		['calls twice from the event trigger', ({ toldTwice }) => toldTwice.byEvent],
		['calls twice from the Call Record Trigger', ({ toldTwice }) => toldTwice.byRecord],
		[
			'calls whose note needed Retry, because n8n died during the execution',
			({ retried }) => retried,
		],
		['**calls without a note in the end**', ({ withoutNote }) => `**${withoutNote}**`],
		['**calls with two notes**', ({ doubled }) => `**${doubled}**`],
		['executions', ({ executions }) => list(executions)],
		['interruptions', ({ harms }) => list(harms)],
	]);
}

function soakPart(): string {
	const run = readResult<Soaked>('soak');
	if (!run) return '';
	const { events, routing, records, left, memory } = run;
	return [
		markdownTable([
			['', `in ${run.minutes} minutes`],
			['measured capacity', `${run.capacity} calls a second`],
			['calls', `${number(run.calls)}, ${run.rate} a second`],
			[
				'events',
				`${number(events.sent)} sent, ${number(events.acknowledged)} got 200; the trigger accepts ${number(events.wanted)} of them, ${number(events.executions)} have an execution`,
			],
			[
				'routing requests',
				`${number(routing.asked)}, ${number(routing.byWorkflow)} answered by the workflow, the rest by the fallback; p50 ${routing.p50} ms, p99 ${routing.p99} ms`,
			],
			[
				'calls from the Call Record Trigger',
				`${number(records.calls)}; ${records.missing} missing, ${records.twice} twice`,
			],
			['executions', list(run.executions)],
			['errors and warnings in n8n’s log', String(run.logged.length)],
			[
				'left after deactivation',
				`${left.webhooks} webhooks; callflow ${left.callflowChanged ? 'changed' : 'unchanged'}`,
			],
		]),
		markdownTable([
			['Minute', ...memory.map(({ until }) => String(until))],
			['lowest heap (MiB)', ...memory.map(({ heapFloor }) => String(heapFloor))],
			['median memory (MiB)', ...memory.map(({ resident }) => String(resident))],
		]),
		`_${stampWords(run)}._`,
	].join('\n\n');
}

type StormRow = [string, (run: Stormed) => string | number];

/** A table with a column for each mode and engine. */
function stormPart(): string {
	const runs = MODES.flatMap((mode) =>
		ENGINES.flatMap((engine) => {
			const run = readResult<Stormed>(`storm-${mode}-${engine}`);
			return run ? [{ ...run, title: `${mode} mode, ${engine} engine` }] : [];
		}),
	);
	const rows: StormRow[] = [
		['events a second that n8n takes, before', ({ capacity }) => capacity.before],
		['… and afterwards', ({ capacity }) => capacity.after],
		['**1,000 events at one moment**: answers', ({ burst }) => answersOf(burst.answers)],
		['p99 of those taken (ms)', ({ burst }) => number(burst.p99)],
		['memory above rest (MiB)', ({ burst }) => number(burst.memory)],
		[
			'**a minute of twice as many as n8n takes**: answers',
			({ overload }) => answersOf(overload.answers),
		],
		['p99 of those taken (ms)', ({ overload }) => number(overload.p99)],
		['memory above rest (MiB)', ({ overload }) => number(overload.memory)],
		[
			'routing questions meanwhile, one a second',
			({ overload: { questions } }) => answersOf(questions.answers),
		],
		['their p99 (ms)', ({ overload }) => number(overload.questions.p99)],
		[
			'**a stranger sends 200 a second without the secret**: answers to the PBX, at half load',
			({ strangers }) => (strangers ? answersOf(strangers.answers) : '–'),
		],
		['p99 of those taken (ms)', ({ strangers }) => (strangers ? number(strangers.p99) : '–')],
		[
			'answers to the stranger',
			({ strangers }) => (strangers ? answersOf(strangers.theirs.answers) : '–'),
		],
		['**a process restarts at half load**: answers', ({ restart }) => answersOf(restart.answers)],
		['**HAProxy is killed at half load**: answers', ({ door }) => answersOf(door.answers)],
		['got 200', ({ acknowledged }) => number(acknowledged)],
		['**got 200 but have no execution**', ({ lost }) => `**${lost}**`],
	];
	const lines = rows.map(([name, cell]): string[] => [
		name,
		...runs.map((run) => String(cell(run))),
	]);
	return [
		markdownTable([['', ...runs.map(({ title }) => title)], ...lines]),
		...runs.map((run) => `_${run.title}: ${stampWords(run)}._`),
	].join('\n\n');
}

/** How many of each answer: a status, or why there is none. */
function answersOf(answers: Record<string, number>): string {
	return Object.entries(answers)
		.map(([answer, count]) => `${answer}: ${number(count)}`)
		.join(', ');
}

function list(counts: Record<string, number>): string {
	return Object.entries(counts)
		.map(([name, count]) => `${name} ${number(count)}`)
		.join('; ');
}

/** A number as people write it, such as `1,234`. */
export function number(value: number): string {
	return value.toLocaleString('en-US');
}

/** When, on what, and how long something was measured, in words. */
export function stampWords({ date, versions, machine, seconds }: Stamp): string {
	const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
	return `${date}, ${names.join(', ')}, ${machine}; took ${Math.round(seconds / 60)} min`;
}
