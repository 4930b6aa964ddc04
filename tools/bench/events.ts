import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { sampleOf } from '../../nodes/VirtualPbx/events/samples';
import type { Sandbox } from '../../sandbox';
import { credentialOf, makeNode, ROOT } from '../n8n';
import type { N8nClient } from '../n8n';
import { activate, createCredential, noOperation, UNSAVED } from './flow';
import { rounded } from './measure';

const run = promisify(execFile);

/** The address of an event trigger, and an event for it in which `$id` stands for an id of its own. */
interface EventFlow {
	url: string;
	body: string;
}

/** Activates a workflow of our event trigger and another node; by default, its executions are not stored. */
export async function makeEventFlow(
	client: N8nClient,
	sandbox: Sandbox,
	{ next = noOperation, settings = UNSAVED } = {},
): Promise<EventFlow> {
	const credential = await createCredential(client, sandbox.url);
	const parameters = { filters: { number: '74951234567' }, options: { skipUrlCheck: true } };
	const more = { typeVersion: 1.1, ...credentialOf(credential) };
	const trigger = makeNode('Event', 'virtualPbxTrigger', parameters, more);
	await activate(client, [trigger, next], settings);
	const webhooks = [...sandbox.pbx.accounts.values()].flatMap((one) => one.webhooks.all());
	const registered = webhooks.find(({ uri }) => uri.includes(String(trigger.webhookId)));
	if (!registered) throw new Error('The trigger has registered no webhook');
	const { name, args } = sampleOf('ended', 63_962_000_000);
	const event = { name, args: { ...args, 'Msg-ID': '$id' }, custom_data: registered.custom_data };
	return { url: registered.uri, body: JSON.stringify(event) };
}

/** What to send: for so many seconds, or so many requests. */
interface LoadOrder extends EventFlow {
	callers: number;
	seconds?: number;
	amount?: number;
	/** How many seconds a caller waits for an answer. */
	patience?: number;
}

/**
 * Sends requests from a process of their own.
 *
 * @returns requests that got 2xx, how many of them a second, the p99 of the answers in milliseconds, and other requests
 */
export async function tryToSend(order: LoadOrder) {
	const script = path.join(ROOT, 'tools/bench/load.cjs');
	const { stdout } = await run(process.execPath, [script, JSON.stringify(order)]);
	const { duration, latency, non2xx, errors, ...result } = JSON.parse(stdout) as {
		'2xx': number;
		non2xx: number;
		errors: number;
		duration: number;
		latency: { p99: number };
	};
	const accepted = result['2xx'];
	const perSecond = rounded(accepted / duration);
	return { accepted, refused: non2xx + errors, perSecond, p99: latency.p99 };
}
