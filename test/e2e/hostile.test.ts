import assert from 'node:assert/strict';
import fc from 'fast-check';

import { checkAnswer } from '../../nodes/VirtualPbx/pbx/pivot/answer';
import { residentMb } from '../../tools/bench/load';
import type { Credential, N8nClient, N8nProcess } from '../../tools/n8n';
import { startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import { formTexts, jsonTexts } from '../fuzz/bodies';
import { requests, sendHostile } from '../fuzz/requests';
import { runTarget, SEED } from '../fuzz/run';
import { times } from '../support/release';
import { makeFlow, routingTrigger } from '../support/routing';
import { CALL, triggerWorkflow } from '../support/trigger/workflow';

const RUNS = 150;

/**
 * Leaves out requests that n8n rejects before any node sees them. It responds with 500 to a body with the wrong encoding.
 * After broken XML, it sometimes doesn't respond to other XML, since all requests share one parser (as of n8n 2.41.1).
 */
const forNodes = requests.filter(
	({ headers }) =>
		!('content-encoding' in headers) && headers['content-type'] !== 'application/xml',
);

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

describe(`hostile requests to n8n, seed ${SEED}`, () => {
	let main: N8nProcess;
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	// n8n drops requests of other tests while it parses large bodies for seconds.
	beforeAll(async () => {
		[{ main }, pbx] = await Promise.all([startOwnN8n(), startPbx()]);
		n8n = await main.signIn();
		credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
	}, 300_000);

	it(`start no workflow of the event trigger, and get no status above 499: ${RUNS} requests`, async () => {
		const { id } = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(id);
		const [webhook] = await pbx.client.webhooks();
		const property = fc.asyncProperty(forNodes, async (request) => {
			const { status } = await sendHostile(String(webhook?.uri), request);
			assert.ok(status <= 499, `Status ${status}`);
		});
		await runTarget({ name: 'n8n: deliveries', property }, RUNS);

		expect(await n8n.listExecutions({ workflowId: id })).toEqual([]);
		await n8n.deactivate(id);
	}, 300_000);

	it(`always get a valid answer from the routing trigger: ${RUNS} requests`, async () => {
		const { id, url } = await makeFlow(n8n, [routingTrigger({ responseMode: 'onReceived' })]);
		await n8n.activate(id);
		const property = fc.asyncProperty(forNodes, async (request) => {
			const { status, body } = await sendHostile(url, request);
			assert.ok(status <= 499, `Status ${status}`);
			const isRouting = ['GET', 'POST'].includes(request.method) && status === 200;
			if (isRouting) assert.deepEqual(checkAnswer(body).problems, []);
		});
		await runTarget({ name: 'n8n: routing requests', property }, RUNS);
		await n8n.deactivate(id);
	}, 300_000);

	it('of almost 16 MiB leave n8n running and serving calls', async () => {
		const events = await n8n.createWorkflow(triggerWorkflow(credential));
		await n8n.activate(events.id);
		const [webhook] = await pbx.client.webhooks();
		const routing = await makeFlow(n8n, [routingTrigger({ responseMode: 'onReceived' })]);
		await n8n.activate(routing.id);

		const timings: string[] = [];
		for (const [kind, type, body] of LARGE().slice(0, times(3, Infinity))) {
			const request = { method: 'POST', query: '', headers: { 'content-type': type }, body };
			for (const [url, expected] of [
				[String(webhook?.uri), 413],
				[routing.url, 200],
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
			`${timings.join('\n')}\nn8n took ${residentMb(main.pid, 'VmHWM').toFixed()} MiB at most\n`,
		);
		expect(await n8n.listExecutions({ workflowId: routing.id })).toEqual([]);
		expect(await n8n.listExecutions({ workflowId: events.id })).toEqual([]);

		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await n8n.waitForExecutions(events.id, { count: 3 });
		await n8n.deactivate(routing.id);
		await n8n.deactivate(events.id);
	}, 600_000);
});
