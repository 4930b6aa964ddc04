import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../sandbox';
import type { Sandbox } from '../../../sandbox';
import { withCleanups } from '../../cleanups';
import { N8nClient, OWNER, startCluster } from '../../n8n';
import type { Cluster, N8nProcess } from '../../n8n';
import { claim, inTurns, rounded } from '../measure';
import type { Claim, Effort, Growth, Measured, Slice } from '../measure';
import { makeFlow, PATIENT, respondToWebhook, routing, trigger, webhook } from '../routing/flows';
import { eventFor, makeOurs, makeWebhook, send, SETTINGS } from './events';
import type { Load } from './events';

const WORKERS = 2;
/** Linux counts the time of processes in hundredths of a second. */
const TICK_MS = 10;
const LOOK_MS = 2000;
const QUESTION = JSON.stringify({ 'Call-ID': '$id', From: '100', To: '200' });
/** What workers with nothing to do take in that time. */
const IDLE_MS = 100;

const METHOD = `Events as above and routing questions by POST, through a load balancer, in n8n's queue mode with PostgreSQL, Redis and ${WORKERS} workers, with 10 connections for each webhook process; everything on one machine. The processor time that each takes is what the system counts for the webhook processes and for the workers.`;

/** What n8n accepts in queue mode, by the number of webhook processes, and what an event and a routing question cost. */
export const queue: Slice = {
	name: 'queue',
	title: 'Queue mode',
	method: METHOD,
	notes:
		'Events a second stop growing when all cores of this one machine are busy: with the sandbox that n8n makes for each request to a trigger other than its own Webhook node, one webhook process alone keeps two of them busy. What carries over to other machines is the processor time that each takes, and [queue mode](queue-mode.md#how-many-processes) counts with it.',
	measure: async (effort) => await measure(effort, { engine: 'vm', counts: [1, 2, 4] }),
};

/** The same with the expression engine of earlier versions of n8n, which needs no sandbox. */
export const queueLegacy: Slice = {
	name: 'queue-legacy',
	title: 'Queue mode with the legacy engine',
	method: `${METHOD} Every process has \`N8N_EXPRESSION_ENGINE=legacy\`.`,
	measure: async (effort) => await measure(effort, { engine: 'legacy', counts: [1] }),
};

interface Setting {
	engine: 'vm' | 'legacy';
	/** How many webhook processes, one after the other. */
	counts: readonly number[];
}

interface Figure extends Load {
	/** Milliseconds of processor time that a request takes in the webhook processes. */
	processor: number;
	/** The same in the workers. */
	worker: number;
}

async function measure(effort: Effort, { engine, counts }: Setting): Promise<Measured> {
	const full = effort === 'full';
	const claims: Claim[] = [];
	const growth: Growth = { what: 'events a second by webhook processes', unit: '/s', points: [] };
	for (const webhooks of full ? counts : counts.slice(0, 1)) {
		const { ours, webhook, question, native } = await measureCluster(webhooks, engine, full);
		const count = `${webhooks} webhook ${webhooks === 1 ? 'process' : 'processes'}`;
		claims.push(...claimsOf(`events, ${count}`, 'Webhook node', ours, webhook));
		growth.points.push({ work: webhooks, value: claims.at(-4)?.ours ?? NaN });
		if (!question || !native) continue;
		claims.push(
			...claimsOf(`questions, ${count}`, 'Webhook + Respond to Webhook', question, native),
		);
	}
	return { claims, growth: growth.points.length > 1 ? [growth] : [] };
}

async function measureCluster(webhooks: number, engine: Setting['engine'], full: boolean) {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const env = { N8N_LOG_LEVEL: 'error', N8N_EXPRESSION_ENGINE: engine };
		const cluster = await startCluster({ webhooks, workers: WORKERS, env });
		later(async () => await cluster.dispose());
		const client = await N8nClient.signIn(cluster.url, OWNER);
		const urls = await makeFlows(client, sandbox);
		const bodies = { event: eventFor(sandbox), question: QUESTION };
		const load = async (url: string, body: string): Promise<Figure> => {
			const before = await processorMs(cluster);
			const amount = full ? {} : { amount: 20 };
			const order = { url, body, callers: 10 * webhooks, seconds: 8, ...amount };
			const sent = await send(order);
			const after = await idle(cluster);
			return {
				...sent,
				processor: rounded((after.webhooks - before.webhooks) / sent.accepted),
				worker: rounded((after.workers - before.workers) / sent.accepted),
			};
		};
		const rounds = { rounds: full ? 5 : 1, warmUps: full ? 1 : 0 };
		const events = {
			ours: async () => await load(urls.ours, bodies.event),
			webhook: async () => await load(urls.webhook, bodies.event),
		};
		const questions = {
			question: async () => await load(urls.question, bodies.question),
			native: async () => await load(urls.native, bodies.question),
		};
		return {
			...(await inTurns(events, rounds)),
			...(webhooks === 1 && (await inTurns(questions, rounds))),
		};
	});
}

async function makeFlows(client: N8nClient, sandbox: Sandbox) {
	const answer = [webhook('POST'), respondToWebhook];
	return {
		ours: await makeOurs(client, sandbox),
		webhook: await makeWebhook(client),
		question: await makeFlow(
			client,
			'Routing',
			[trigger({ ...PATIENT, responseMode: 'responseNode' }), routing('respond')],
			SETTINGS,
		),
		native: await makeFlow(client, 'Native', answer, SETTINGS),
	};
}

function claimsOf(what: string, against: string, ours: Figure[], theirs: Figure[]): Claim[] {
	const compare = (about: string, unit: string, key: keyof Figure, aim?: Claim['aim']) =>
		claim(
			{ what: `${what}: ${about}`, against, unit, ...(aim && { aim }) },
			ours.map((figure) => figure[key]),
			theirs.map((figure) => figure[key]),
		);
	return [
		compare('accepted', '/s', 'perSecond', { atLeast: 1 }),
		compare('p99 of the answer', 'ms', 'p99'),
		compare(`each, in webhook processes`, 'ms of processor', 'processor'),
		compare(`each, in workers`, 'ms of processor', 'worker'),
	];
}

interface Times {
	webhooks: number;
	workers: number;
}

/** Waits until the workers have done all that was queued; gives the processor times then. */
async function idle(cluster: Cluster): Promise<Times> {
	let before = await processorMs(cluster);
	for (;;) {
		await sleep(LOOK_MS);
		const now = await processorMs(cluster);
		if (now.workers - before.workers < IDLE_MS) return now;
		before = now;
	}
}

/** The processor time that the processes have taken so far, in milliseconds. */
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
