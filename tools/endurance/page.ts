import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Stamp } from '../bench/results';
import { ROOT } from '../n8n';
import type { KeptCalls } from './calls';
import type { Kept } from './kept';
import { MODES } from './rig';
import type { Soaked } from './soak';

/** The page that the figures stand in. */
export const DOCUMENT = path.join(ROOT, 'docs/reliability.md');
const RESULTS = path.join(ROOT, 'docs/reliability');

type Row = readonly [string, ...Array<string | number>];

/** The page as it is. */
export function readPage(): string {
	return readFileSync(DOCUMENT, 'utf8');
}

/** Stores the result of a run. */
export function writeResult(name: string, result: object): void {
	mkdirSync(RESULTS, { recursive: true });
	writeFileSync(path.join(RESULTS, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

function readResult<T>(name: string): (T & Stamp) | undefined {
	const file = path.join(RESULTS, `${name}.json`);
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T & Stamp) : undefined;
}

/** Puts the stored results into the page, between its marks. */
export function intoPage(page: string): string {
	const parts = { kept: keptPart(), 'kept-field': keptCallsPart(), soak: soakPart() };
	return Object.entries(parts).reduce((text, [name, part]) => {
		const marked = new RegExp(`(<!-- ${name} -->\\n)[^]*?(<!-- /${name} -->)`);
		return text.replace(
			marked,
			(_, before: string, after: string) => `${before}\n${part}\n\n${after}`,
		);
	}, page);
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
	const lines = rows.map(([name, cell]): Row => [name, ...runs.map(cell)]);
	return [
		table([['', ...runs.map(({ mode }) => `${mode} mode`)], ...lines]),
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
		table([
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
		table([
			['Minute', ...memory.map(({ until }) => until)],
			['lowest heap (MiB)', ...memory.map(({ heapFloor }) => heapFloor)],
			['median memory (MiB)', ...memory.map(({ resident }) => resident)],
		]),
		`_${stampWords(run)}._`,
	].join('\n\n');
}

function table([head = [''], ...rows]: readonly Row[]): string {
	const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function list(counts: Record<string, number>): string {
	return Object.entries(counts)
		.map(([name, count]) => `${name} ${number(count)}`)
		.join('; ');
}

function number(value: number): string {
	return value.toLocaleString('en-US');
}

function stampWords({ date, versions, machine, seconds }: Stamp): string {
	const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
	return `${date}, ${names.join(', ')}, ${machine}; took ${Math.round(seconds / 60)} min`;
}
