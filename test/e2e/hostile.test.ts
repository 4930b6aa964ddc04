import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';

import { sampleOf } from '../../nodes/VirtualPbx/pbx/events/table';
import { checkAnswer } from '../../nodes/VirtualPbx/pbx/pivot/answer';
import { residentMb } from '../../tools/bench/load';
import { readSetup } from '../../tools/n8n';
import type { Cluster, Credential, N8nClient } from '../../tools/n8n';
import { eventually, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import { formTexts, jsonTexts } from '../fuzz/bodies';
import { REQUESTS, sendHostile } from '../fuzz/requests';
import { times } from '../support/release';
import { ask, makeFlow, routing, routingTrigger } from '../support/routing';
import { CALL, triggerWorkflow } from '../support/trigger/workflow';

const STEPS = [{ type: 'extension', extension: '100' }];

/** Just below the 16 MiB that n8n accepts. n8n parses these bodies itself, before any node sees them. */
const LARGEST = 15.9 * 1_048_576;
/** @param bytes fewer for JSON that turns out longer, since n8n rejects truncated JSON */
const largest = (type: string, bodies: object, bytes = LARGEST) =>
	Object.entries(bodies as typeof formTexts).map(([kind, make]): [string, string, Buffer] => [
		kind,
		type,
		Buffer.from(make(bytes)).subarray(0, 16 * 1_048_576),
	]);
const {
	'many keys': manyKeys,
	'entries × keys around them': entriesAndKeys,
	'deep lists': deepLists,
} = jsonTexts({});
const LARGE = () => [
	// n8n's own JSON.parse takes 7 s for 16 MiB on an idle machine.
	...largest('application/json', { deepLists }, LARGEST / 8),
	...largest('application/json', { manyKeys, entriesAndKeys }, 0.75 * LARGEST),
	...largest('text/plain', { entriesAndKeys, ...formTexts }),
	...largest('application/x-www-form-urlencoded', { 'many pairs': formTexts['many pairs'] }),
];

/** A multipart body of as many fields as n8n takes. */
function multipart(mebibytes: number): Buffer {
	const value = '"n8n_webhook_secret":{'.repeat((mebibytes * 1_048_576) / 900 / 22);
	const field = `--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n${value}\r\n`;
	return Buffer.from(`${field.repeat(900)}--x--\r\n`);
}

const HOLD = `
	const [database, ms] = process.argv.slice(1);
	const sqlite = new (require('node:sqlite').DatabaseSync)(database);
	sqlite.exec('PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE');
	process.stdout.write('held');
	setTimeout(() => sqlite.exec('COMMIT'), Number(ms));
`;

/** Keeps SQLite from being written to for a time. Returns once it does, with a promise of the end. */
async function holdDatabase(database: string, ms: number): Promise<{ released: Promise<unknown> }> {
	const args = ['--no-warnings', '--eval', HOLD, database, String(ms)];
	const child = spawn(readSetup().node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
	const released = once(child, 'exit');
	await once(child.stdout, 'data');
	return { released };
}

describe('hostile requests to n8n', () => {
	let own: Cluster;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	// n8n drops requests of other tests while it parses large bodies for seconds.
	beforeAll(async () => {
		[own, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
		n8n = await own.main.signIn();
		credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
	}, 300_000);

	it('start no workflow of the event trigger, and get no status above 499', async () => {
		const { id } = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(id);
		const [webhook] = await pbx.client.webhooks();
		for (const request of REQUESTS) {
			const { status } = await sendHostile(String(webhook?.uri), request);
			expect([request.what, status <= 499]).toEqual([request.what, true]);
		}
		expect(await n8n.listExecutions({ workflowId: id })).toEqual([]);
		await n8n.deactivate(id);
	}, 300_000);

	it('always get a valid answer from the routing trigger', async () => {
		const { id, url } = await makeFlow(n8n, [routingTrigger({ responseMode: 'onReceived' })]);
		await n8n.activate(id);
		for (const request of REQUESTS) {
			const { status, body } = await sendHostile(url, request);
			const isRouting = ['GET', 'POST'].includes(request.method) && status === 200;
			const problems = isRouting ? checkAnswer(body).problems : [];
			expect([request.what, status <= 499, problems]).toEqual([request.what, true, []]);
		}
		await n8n.deactivate(id);
	}, 300_000);

	it('of almost 16 MiB leave n8n running and serving calls', async () => {
		const events = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(events.id);
		const [webhook] = await pbx.client.webhooks();
		const flow = await makeFlow(n8n, [routingTrigger({ responseMode: 'onReceived' })]);
		await n8n.activate(flow.id);

		const timings: string[] = [];
		for (const [kind, type, body] of LARGE().slice(0, times(3, Infinity))) {
			const headers = { 'content-type': type };
			const request = { what: kind, method: 'POST', query: '', headers, body };
			for (const [url, expected] of [
				[String(webhook?.uri), 413],
				[flow.url, 200],
			] as const) {
				const start = performance.now();
				const response = await sendHostile(url, request);
				const ms = Math.round(performance.now() - start);
				timings.push(`${kind} as ${type}: ${expected} after ${ms} ms`);
				expect([kind, type, response.status]).toEqual([kind, type, expected]);
				if (expected === 200) expect(checkAnswer(response.body).problems).toEqual([]);
			}
		}
		process.stdout.write(
			`${timings.join('\n')}\nn8n took ${residentMb(own.main.pid, 'VmHWM').toFixed()} MiB at most\n`,
		);
		expect(await n8n.listExecutions({ workflowId: flow.id })).toEqual([]);
		expect(await n8n.listExecutions({ workflowId: events.id })).toEqual([]);

		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await n8n.waitForExecutions(events.id, { count: 3 });
		await n8n.deactivate(flow.id);
		await n8n.deactivate(events.id);
	}, 600_000);

	it('multipart bodies beside genuine events are refused, and no event is lost', async () => {
		const { id } = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(id);
		const [webhook] = await pbx.client.webhooks();
		const flow = await makeFlow(n8n, [routingTrigger({ responseMode: 'onReceived' })]);
		await n8n.activate(flow.id);
		const stranger = async (url: string, type: string, mebibytes: number, isChunked = false) => {
			const body = multipart(mebibytes);
			const began = performance.now();
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': type },
				body: isChunked ? Readable.toWeb(Readable.from([body])) : body,
				...(isChunked && { duplex: 'half' }),
			} as RequestInit).catch((error: Error) => ({ status: error.message }));
			return [type, mebibytes, response.status, Math.round(performance.now() - began)];
		};
		const form = 'Multipart/Form-Data; boundary=x';
		const hostile = [
			stranger(String(webhook?.uri), form, 8),
			stranger(String(webhook?.uri), form, 15, true),
			stranger(String(webhook?.uri), 'multipart/mixed; boundary=x', 15),
			stranger(String(webhook?.uri), 'multipart/form-data', 1),
			stranger(flow.url, form, 8, true),
			stranger(flow.url, 'multipart/mixed; boundary=x', 2),
		];
		const call = pbx.client.call({ ...CALL, wait: 'delivered' });
		const results = await Promise.all(hostile);
		await call;
		process.stdout.write(`${JSON.stringify(results)}\n`);
		await n8n.waitForExecutions(id, { count: 3 });
		expect(await n8n.listExecutions({ workflowId: flow.id })).toEqual([]);
		await n8n.deactivate(id);
		await n8n.deactivate(flow.id);
	}, 180_000);

	it('150 routing requests at once all get a valid answer in time', async () => {
		const flow = await makeFlow(n8n, [routingTrigger(), routing('buildAnswer', STEPS)]);
		await n8n.activate(flow.id);
		await ask(flow.url);
		const amount = 150;
		const flood = Array.from({ length: amount }, async () => {
			const before = performance.now();
			const response = await fetch(`${flow.url}?Call-ID=${randomUUID()}`, {
				signal: AbortSignal.timeout(100_000),
			}).catch((error: Error) => error);
			const ms = Math.round(performance.now() - before);
			if (response instanceof Error)
				return { ms, status: response.message, by: null, problems: [] };
			const body = (await response.json()) as IDataObject;
			const by = response.headers.get('x-routing-answer');
			return { ms, status: response.status, by, problems: checkAnswer(body).problems };
		});
		const answers = await Promise.all(flood);
		const counts: IDataObject = {};
		for (const { status, by } of answers)
			counts[`${status} ${by}`] = Number(counts[`${status} ${by}`] ?? 0) + 1;
		const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
		process.stdout.write(
			`${JSON.stringify({ counts, p50: times[amount >> 1], max: times.at(-1) })}\n`,
		);
		expect(answers.filter(({ status, problems }) => status !== 200 || problems.length)).toEqual([]);
		// n8n's own answer to a request that waits too long is 500 after 65 s.
		expect(times.at(-1)).toBeLessThan(60_000);
		await n8n.deactivate(flow.id);
	}, 180_000);

	it('is no event twice while the database is busy and the PBX stops waiting', async () => {
		const { id } = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(id);
		const [webhook] = await pbx.client.webhooks();
		const amount = 12;
		let attempts = 0;
		let isDone = false;
		const first = await holdDatabase(own.database, 2_000);
		const busy = (async () => {
			await first.released;
			for (const ms of [300, 1_200, 600, 900, 1_500])
				if (!isDone) await (await holdDatabase(own.database, ms)).released;
		})();
		const send = async (at: number) => {
			const { name, args } = sampleOf('ended', 63_962_000_000);
			const event = {
				name,
				args: {
					...args,
					'Call-ID': `c${at}`,
					'Msg-ID': `m${at}`,
					'Custom-Channel-Vars': { 'Bridge-ID': `c${at}` },
				},
			};
			const body = JSON.stringify({ ...event, custom_data: webhook?.custom_data });
			const headers = { 'content-type': 'application/json' };
			for (let attempt = 0; attempt < 20; attempt++) {
				attempts++;
				const signal = AbortSignal.timeout(250 + (at % 4) * 250);
				const response = await fetch(String(webhook?.uri), {
					method: 'POST',
					headers,
					body,
					signal,
				})
					.then(({ status }) => status)
					.catch(() => undefined);
				if (response === 200) return;
			}
		};
		await Promise.all(Array.from({ length: amount }, async (_, at) => await send(at)));
		isDone = true;
		await busy;
		/** The events of the executions that n8n finished, and of those that it stored but couldn't start or save. */
		const events = async () => {
			const [finished, others]: [string[], string[]] = [[], []];
			for (const { id: one, status } of await n8n.listExecutions({ workflowId: id })) {
				const [event = ''] = /"c\d+"/.exec(JSON.stringify(await n8n.getExecution(one))) ?? [];
				(['new', 'running'].includes(status) ? others : finished).push(event);
			}
			return { finished, others };
		};
		await eventually(async () => {
			const { finished, others } = await events();
			expect(new Set([...finished, ...others]).size).toBe(amount);
		});
		await sleep(3_000);
		const { finished, others } = await events();
		const counts = { attempts, finished: finished.length, others: others.length };
		process.stdout.write(`${JSON.stringify(counts)}\n`);
		expect(attempts).toBeGreaterThan(amount);
		expect(finished).toHaveLength(new Set(finished).size);
		await n8n.deactivate(id);
	}, 180_000);
});
