// Compares this package with what you would use instead, in turns on one machine, and prints a table for
// docs/internals/performance.md: `npm run bench`, or `npm run bench -- cdrs` for some slices. Linux only.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INode } from 'n8n-workflow';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { spreadCalls } from '../../test/support/history/calls';
import { recordCalls } from '../../test/support/history/records';
import { withCleanups } from '../cleanups';
import { credentialOf, makeNode, startN8n } from '../n8n';
import type { Credential, N8nClient, N8nProcess } from '../n8n';
import { runAsCommand, SetupError } from '../setup/failure.mjs';
import * as load from './load';
import { activate, node } from './load';

/** Figures of one round, by their name with the unit. */
type Figures = Record<string, number>;
type Rivals = Record<'ours' | 'theirs', () => Promise<Figures>>;
type Bed = { sandbox: Sandbox; n8n: N8nProcess; client: N8nClient; credential: Credential };

const ROUNDS = 7;

async function withBed(env: Record<string, string>, work: (bed: Bed) => Promise<void>) {
	await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const n8n = await startN8n({ env: { N8N_LOG_LEVEL: 'error', ...env } });
		later(async () => await n8n.dispose());
		const client = await n8n.signIn();
		const credential = await load.createCredential(client, sandbox.url);
		await work({ sandbox, n8n, client, credential });
	});
}

/** Runs work with both settings of n8n's engine for expressions. */
async function withBothEngines(work: (bed: Bed, engine: string) => Promise<void>) {
	for (const [engine, lazy] of Object.entries({ lazy: 'true', default: 'false' }))
		await withBed(
			{ N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: lazy },
			async (bed) => await work(bed, engine),
		);
}

const figure = (value = NaN) => Number(value.toPrecision(3)).toLocaleString('en-US');

/** Runs the rivals in turns (A B A B), so that anything else on the machine affects both, and prints medians and ratios. */
async function compare(title: string, { ours, theirs }: Rivals): Promise<void> {
	const results: Array<[own: Figures, other: Figures]> = [];
	await ours();
	await theirs();
	while (results.length < ROUNDS) results.push([await ours(), await theirs()]);
	for (const name of Object.keys(results[0]?.[0] ?? {})) {
		const sorted = (figureOf: (own: number, other: number) => number) =>
			results
				.map(([own, other]) => figureOf(own[name] ?? NaN, other[name] ?? NaN))
				.sort((one, other) => one - other);
		const ratios = sorted((own, other) => own / other);
		const median = (values: number[]) => figure(values[ROUNDS >> 1]);
		const own = median(sorted((mine) => mine));
		const other = median(sorted((_, second) => second));
		const spread = `${figure(ratios[0])}–${figure(ratios.at(-1))}`;
		console.log(`| ${title}: ${name} | ${own} | ${other} | ${median(ratios)} (${spread}) |`);
	}
}

const webhook = (responseMode: string, httpMethod = 'GET'): INode => {
	const start = node('Start', 'webhook', 2.1, { httpMethod, responseMode, options: {} });
	return { ...start, parameters: { ...start.parameters, path: start.webhookId ?? '' } };
};

/** Responds with the number of items of the node “Last”. */
const COUNT: INode = {
	...node('Count', 'set', 3.4, {
		assignments: {
			assignments: [
				{ id: 'count', name: 'count', type: 'number', value: "={{ $('Last').all().length }}" },
			],
		},
		options: {},
	}),
	executeOnce: true,
};

/** Runs a workflow that responds with a count. Returns its time and its peak memory above rest. Throws on another count. */
async function spentBy({ pid = 0 }: N8nProcess, url: string, count: number): Promise<Figures> {
	process.kill(pid, 'SIGUSR2');
	await sleep(3000);
	load.resetPeak(pid);
	const rest = load.residentMb(pid);
	const began = performance.now();
	const body = await (await fetch(url)).text();
	const ms = performance.now() - began;
	if (body !== JSON.stringify({ count })) throw new Error(`${url} responded with ${body}`);
	return { 'time (ms)': ms, 'peak memory (MiB)': load.residentMb(pid, 'VmHWM') - rest };
}

/** Sends requests, and throws if n8n rejects one. */
async function sendAll(...order: Parameters<typeof load.sendLoad>) {
	const result = await load.sendLoad(...order);
	if (result.rejected > 0) throw new Error(`n8n rejected ${result.rejected} requests`);
	return result;
}

const ANSWER = JSON.stringify({
	operations: [{ type: 'extension', extension: '100', timeout: 20 }],
});
/** For 100,000 records. */
const CALLS = 50_000;
/** The start of the queried period, in Gregorian seconds. */
const FROM = 'Math.floor(Date.now() / 1000) + 62167219200 - Number($json.query.seconds)';

const SLICES = {
	/** Events accepted, beside n8n's Webhook node. */
	async events(): Promise<void> {
		await withBothEngines(async ({ sandbox, client }, engine) => {
			const event = await load.makeEventFlow(client, sandbox);
			const theirUrl = await activate(client, [webhook('onReceived', 'POST'), load.noOperation]);
			const send = (to?: string) => async () => {
				const { perSecond, p99 } = await sendAll(() => event(to), { callers: 10, seconds: 6 });
				return { 'accepted (/s)': perSecond, 'p99 (ms)': p99 };
			};
			await compare(`events, ${engine}`, { ours: send(), theirs: send(theirUrl) });
		});
	},

	/** Routing answers, beside Webhook and Respond to Webhook. */
	async routing(): Promise<void> {
		const fallback = { step: [{ type: 'voicemail', extension: '999' }] };
		const options = { connect: 'manual', deadline: 60, responseMode: 'responseNode', fallback };
		const answer = { specifyAnswer: 'json', answer: ANSWER };
		await withBothEngines(async ({ client }, engine) => {
			const ourUrl = await activate(client, [
				makeNode('Call', 'virtualPbxRoutingTrigger', options, { typeVersion: 2 }),
				makeNode('Answer', 'virtualPbx', { resource: 'routing', operation: 'respond', ...answer }),
			]);
			const theirUrl = await activate(client, [
				webhook('responseNode'),
				node('Respond', 'respondToWebhook', 1.5, { respondWith: 'json', responseBody: ANSWER }),
			]);
			for (const callers of [1, 50]) {
				const ask = (url: string) => async () => {
					const request = (count: number) => new Request(`${url}?Call-ID=${count}&From=100&To=200`);
					const { p50 } = await sendAll(request, { callers, amount: callers * 2 + 20 });
					return { 'p50 (ms)': p50 };
				};
				const rivals = { ours: ask(ourUrl), theirs: ask(theirUrl) };
				await compare(`routing answers, ${callers} at once, ${engine}`, rivals);
			}
		});
	},

	/** Many call records at once, beside HTTP Request and Split Out. */
	async cdrs(): Promise<void> {
		await withBed(load.COLLECTING, async ({ sandbox, n8n, client, credential }) => {
			const now = Math.floor(Date.now() / 1000);
			recordCalls({ sandbox }, spreadCalls(CALLS, now - 30 * 86_400, now));
			const { size } = sandbox.pbx.firstAccount.cdrs;
			const read = async (get: INode, last: INode) => {
				const own = { ...get, ...credentialOf(credential) };
				const one = node('One', 'limit', 1, { maxItems: 1 });
				const url = await activate(client, [webhook('lastNode'), own, last, one, COUNT]);
				return async () => await spentBy(n8n, `${url}?seconds=${31 * 86_400}`, size);
			};
			const ours = async (simplify: boolean) => {
				const time = { returnAll: true, after: `={{ ${FROM} }}` };
				const parameters = { resource: 'cdr', operation: 'getMany', ...time, simplify };
				return await read(makeNode('Get', 'virtualPbx', parameters), node('Last', 'noOp'));
			};
			const path = `/v1/pbx/accounts/{account_id}/cdrs?created_from={{ ${FROM} }}`;
			const theirs = await read(
				node('Get', 'httpRequest', 4.2, {
					...{ url: `=${sandbox.url}${path}`, authentication: 'predefinedCredentialType' },
					...{ nodeCredentialType: 'virtualPbxApi', options: {} },
				}),
				node('Last', 'splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
			);
			await compare(`${size} records, raw`, { ours: await ours(false), theirs });
			await compare(`${size} records, simplified`, { ours: await ours(true), theirs });
		});
	},
};

void runAsCommand(async () => {
	const names = process.argv.slice(2);
	const wrong = names.find((name) => !Object.hasOwn(SLICES, name));
	if (wrong !== undefined)
		throw new SetupError(`There is no slice “${wrong}”. Slices: ${Object.keys(SLICES).join(', ')}`);
	const machine = `${cpus().length} cores (${cpus()[0]?.model})`;
	console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}`);
	console.log('| What | Ours | Theirs | Ratio (lowest–highest) |\n|---|---|---|---|');
	for (const [name, measure] of Object.entries(SLICES))
		if (names.length === 0 || names.includes(name)) await measure();
});
