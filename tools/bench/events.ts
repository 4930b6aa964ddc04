import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import { sampleOf } from '../../nodes/VirtualPbx/events/samples';
import type { Sandbox } from '../../sandbox';
import { credentialOf, makeNode, ROOT } from '../n8n';
import type { N8nClient } from '../n8n';
import { activate, createCredential, noOperation, UNSAVED } from './flow';
import { percentile, rounded } from './measure';

const run = promisify(execFile);

/** How a webhook bore a load: requests that got 2xx, how many a second, and milliseconds. */
export type Load = Record<'accepted' | 'perSecond' | 'p99', number>;

/** The address of an event trigger, and an event for it in which `$id` stands for an id of its own. */
export interface EventFlow {
	url: string;
	body: string;
}

/**
 * Activates a workflow of our event trigger.
 *
 * @param settings of the workflow; by default its executions are not stored
 */
export async function makeEventFlow(
	client: N8nClient,
	sandbox: Sandbox,
	settings: IDataObject = UNSAVED,
): Promise<EventFlow> {
	const credential = await createCredential(client, sandbox.url);
	const parameters = { filters: { number: '74951234567' }, options: { skipUrlCheck: true } };
	const more = { typeVersion: 1.1, ...credentialOf(credential) };
	const trigger = makeNode('Event', 'virtualPbxTrigger', parameters, more);
	await activate(client, [trigger, noOperation], settings);
	const webhooks = [...sandbox.pbx.accounts.values()].flatMap((one) => one.webhooks.all());
	const registered = webhooks.find(({ uri }) => uri.includes(String(trigger.webhookId)));
	if (!registered) throw new Error('The trigger has registered no webhook');
	const { name, args } = sampleOf('ended', 63_962_000_000);
	const event = { name, args: { ...args, 'Msg-ID': '$id' }, custom_data: registered.custom_data };
	return { url: registered.uri, body: JSON.stringify(event) };
}

/** What to send: for so many seconds, or so many requests. */
export interface LoadOrder extends EventFlow {
	callers: number;
	seconds?: number;
	amount?: number;
	/** How many seconds a caller waits for an answer. */
	patience?: number;
}

/** Sends requests from a process of their own, and counts as accepted what got 2xx. */
export async function tryToSend(order: LoadOrder): Promise<Load & { refused: number }> {
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

/** Sends requests from a process of their own. Throws when one was refused. */
export async function send(order: LoadOrder): Promise<Load> {
	const { refused, ...load } = await tryToSend(order);
	if (refused > 0 || load.accepted === 0)
		throw new Error(`${order.url} refused ${refused} requests and took ${load.accepted}`);
	return load;
}

/** Asks a routing trigger so many times from so many callers at once; milliseconds. Throws when an answer is not 200. */
export async function ask(url: string, callers: number, calls: number) {
	const times: number[] = [];
	let left = calls;
	const caller = async () => {
		while (left-- > 0) {
			const before = performance.now();
			const response = await fetch(`${url}?Call-ID=${left}&From=100&To=200`);
			await response.text();
			if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
			times.push(performance.now() - before);
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}
