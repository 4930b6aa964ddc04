import type { Claim } from './measure';
import { readResult } from './results';

/** The page that {@link intoSizing} completes, from the root of the repository. */
export const SIZING_FILE = 'docs/queue-mode.md';

/** A process should be busy so much of the time at most, so that a burst finds room. */
const BUSY = 0.6;
/** Calls a second. */
const RATES = [10, 1000];

/** Processor time of one event or question, in milliseconds. */
interface Cost {
	webhook: number;
	worker: number;
}

/** What a call asks of n8n: deliveries, executions for events, and questions. */
const USES = [
	{ name: 'one event, such as Call Ended', deliveries: 2, executions: 1, questions: 0 },
	{ name: 'started, answered, and ended', deliveries: 6, executions: 3, questions: 0 },
	{ name: 'only a routing request', deliveries: 0, executions: 0, questions: 1 },
];

/** A measured way to run n8n. */
export interface Run {
	engine: string;
	claims: readonly Claim[];
}

/** The stored runs of queue mode. */
export function storedRuns(): Run[] {
	const engines = { queue: "n8n's default engine", 'queue-legacy': 'N8N_EXPRESSION_ENGINE=legacy' };
	return Object.entries(engines).flatMap(([name, engine]) => {
		const result = readResult(name);
		return result ? [{ engine, claims: result.claims }] : [];
	});
}

/** Puts the numbers of processes that follow from the measured costs into the page, between its marks. */
export function intoSizing(page: string, runs: readonly Run[]): string {
	const part = runs.map(describe).join('\n\n');
	return page.replace(
		/(<!-- sizing -->\n)[^]*?(<!-- \/sizing -->)/,
		(_, before: string, after: string) => `${before}\n${part}\n\n${after}`,
	);
}

function describe({ engine, claims }: Run): string {
	const event = costOf(claims, 'events');
	const question = costOf(claims, 'questions');
	const cells = (use: (typeof USES)[number]) =>
		RATES.flatMap((rate) => [
			processes(rate * (use.deliveries * event.webhook + use.questions * question.webhook)),
			processes(rate * (use.executions * event.worker + use.questions * question.worker)),
		]);
	const rates = RATES.map((rate) => `${rate} calls per second: webhook processes | workers`);
	return [
		`**${engine}**: an event takes ${event.webhook} ms in a webhook process and ${event.worker} ms in a worker, a routing request ${question.webhook} ms and ${question.worker} ms.`,
		[
			`| Each call has | ${rates.join(' | ')} |`,
			`| --- |${' ---: |'.repeat(RATES.length * 2)}`,
			...USES.map((use) => `| ${use.name} | ${cells(use).join(' | ')} |`),
		].join('\n'),
	].join('\n\n');
}

function costOf(claims: readonly Claim[], what: string): Cost {
	const find = (where: string) =>
		claims.find((one) => one.what === `${what}: processor time of ${where}`)?.ours ?? NaN;
	return { webhook: find('webhook processes'), worker: find('workers') };
}

/** How many processes bear so many milliseconds of work a second. */
function processes(msPerSecond: number): number {
	return msPerSecond === 0 ? 0 : Math.ceil(msPerSecond / 1000 / BUSY);
}
