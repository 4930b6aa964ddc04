import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../sandbox';
import { withCleanups } from '../../cleanups';
import { N8nClient, OWNER, startCluster } from '../../n8n';
import type { Cluster, N8nProcess } from '../../n8n';
import { makeEventFlows, send } from '../events';
import type { Load } from '../events';
import { activate, answerFlows, UNSAVED } from '../flow';
import { compare, inTurns, rounded } from '../measure';
import type { Claim, Slice } from '../measure';

const WORKERS = 2;
/** Linux counts the time of processes in hundredths of a second. */
const TICK_MS = 10;
const LOOK_MS = 2000;
const QUESTION = JSON.stringify({ 'Call-ID': '$id', From: '100', To: '200' });
/** What workers with nothing to do take in that time. */
const IDLE_MS = 100;

const METHOD = `PostgreSQL, Redis, a load balancer, and ${WORKERS} workers on one machine, with 10 connections for each webhook process. Questions are for our routing trigger.`;

/** What n8n accepts in queue mode, and what an event and a routing question cost. */
export const queue: Slice = {
	name: 'queue',
	title: 'Queue mode',
	advice:
		'If one n8n process is not enough, take the processor time of an event from this table and size your cluster by [How many processes](queue-mode.md#how-many-processes).',
	method: `${METHOD} One webhook process already keeps two cores busy, so a second one needs another machine.`,
	measure: async (full) => [
		...(await measure(full, 1, 'vm')),
		...(full ? await measure(full, 2, 'vm') : []),
	],
};

/** The same with the expression engine of earlier versions of n8n, which needs no sandbox. */
export const queueLegacy: Slice = {
	name: 'queue-legacy',
	title: 'Queue mode with the legacy engine',
	advice:
		'If you run queue mode and trust everyone who edits workflows, set `N8N_EXPRESSION_ENGINE=legacy` on all processes: events and questions then cost about a tenth of the processor time.',
	method: METHOD,
	measure: async (full) => await measure(full, 1, 'legacy'),
};

/** Milliseconds of processor time that each kind of process takes. */
type Times = Record<'webhooks' | 'workers', number>;

/** Measures a cluster with so many webhook processes; questions only where there is one of them. */
async function measure(full: boolean, count: number, engine: string): Promise<Claim[]> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const env = { N8N_LOG_LEVEL: 'error', N8N_EXPRESSION_ENGINE: engine };
		const cluster = await startCluster({ webhooks: count, workers: WORKERS, env });
		later(async () => await cluster.dispose());
		const client = await N8nClient.signIn(cluster.url, OWNER);
		const much = full ? { seconds: 8 } : { amount: 20 };
		const load = (url: string, body: string) => async () =>
			await loaded(cluster, { url, body, callers: 10 * count, ...much });
		const rounds = { rounds: full ? 5 : 1, warmUps: full ? 1 : 0 };
		const flows = await makeEventFlows(client, sandbox);
		const events = await inTurns(
			{ ours: load(flows.ours, flows.body), theirs: load(flows.theirs, flows.body) },
			rounds,
		);
		const accepted = `accepted by ${count} webhook ${count === 1 ? 'process' : 'processes'}`;
		if (count > 1) return claimsOf('events', accepted, events).slice(0, 1);
		const { ours, theirs } = answerFlows('POST');
		const questions = await inTurns(
			{
				ours: load(await activate(client, ours, UNSAVED), QUESTION),
				theirs: load(await activate(client, theirs, UNSAVED), QUESTION),
			},
			rounds,
		);
		return [...claimsOf('events', accepted, events), ...claimsOf('questions', accepted, questions)];
	});
}

const claimsOf = (
	what: string,
	accepted: string,
	{ ours, theirs }: Record<'ours' | 'theirs', Array<Load & Times>>,
) =>
	compare('Webhook nodes', ours, theirs, [
		[`${what} ${accepted}`, '/s', 'perSecond', { atLeast: 1 }],
		[`${what}: processor time of webhook processes`, 'ms', 'webhooks'],
		[`${what}: processor time of workers`, 'ms', 'workers'],
	]);

/** Sends requests, and waits until the workers have done all that was queued; the times are those of one request. */
async function loaded(cluster: Cluster, order: Parameters<typeof send>[0]): Promise<Load & Times> {
	const start = await processorMs(cluster);
	const sent = await send(order);
	const each = (ms: number) => rounded(ms / sent.accepted);
	let before = await processorMs(cluster);
	for (;;) {
		await sleep(LOOK_MS);
		const now = await processorMs(cluster);
		if (now.workers - before.workers < IDLE_MS)
			return {
				...sent,
				webhooks: each(now.webhooks - start.webhooks),
				workers: each(now.workers - start.workers),
			};
		before = now;
	}
}

/** The processor time that the processes have taken so far. */
async function processorMs({ webhooks, workers }: Cluster): Promise<Times> {
	return { webhooks: await sumOf(webhooks), workers: await sumOf(workers) };
}

async function sumOf(processes: N8nProcess[]): Promise<number> {
	const times = processes.map(async ({ pid }) => {
		const text = await readFile(`/proc/${pid}/stat`, 'utf8');
		const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
		return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
	});
	return (await Promise.all(times)).reduce((sum, one) => sum + one, 0);
}
