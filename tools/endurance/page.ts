import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Stamp } from '../bench/results';
import { ROOT } from '../n8n';
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
	const parts = { kept: keptPart(), soak: soakPart() };
	return Object.entries(parts).reduce((text, [name, part]) => {
		const marked = new RegExp(`(<!-- ${name} -->\\n)[^]*?(<!-- /${name} -->)`);
		return text.replace(
			marked,
			(_, before: string, after: string) => `${before}\n${part}\n\n${after}`,
		);
	}, page);
}

function keptPart(): string {
	const runs = MODES.flatMap((mode) => {
		const run = readResult<Kept & { seed: number }>(`kept-${mode}`);
		return run ? [{ mode, ...run }] : [];
	});
	const row = (name: string, cell: (run: (typeof runs)[number]) => string | number): Row => [
		name,
		...runs.map(cell),
	];
	return [
		table([
			row('', ({ mode }) => `${mode} mode`),
			row('events sent', ({ events }) => number(events)),
			row('got 200', ({ acknowledged }) => number(acknowledged)),
			row('**got 200 but have no execution**', ({ lost }) => `**${lost}**`),
			row('failed executions that lost their data', ({ blank }) => blank),
			row('never got 200 in all retries', ({ givenUp }) => givenUp),
			row('delivery attempts', ({ tries }) => number(tries)),
			row('events with two executions', ({ twice }) => twice),
			row('executions', ({ executions }) => list(executions)),
			row('interruptions', ({ harms }) => list(harms)),
		]),
		...runs.map((run) => `_${run.mode} mode: seed ${run.seed}, ${stampWords(run)}._`),
	].join('\n\n');
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
