// Shared by the benchmarks and some tests: requests under load, and the memory of a process (Linux only).
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import { sampleOf } from '../../nodes/VirtualPbx/pbx/events/table';
import type { Sandbox } from '../../sandbox';
import { credentialOf, makeNode, ROOT, rowOf } from '../n8n';
import type { Credential, N8nClient } from '../n8n';
import { SANDBOX_LOGIN } from '../sandbox-client';

/** Environment that lets an n8n process collect garbage on SIGUSR2. */
export const COLLECTING = {
	NODE_OPTIONS: `--require ${path.join(ROOT, 'tools/bench/collect-on-signal.cjs')}`,
};

/** Returns a process's memory in MiB: current (`VmRSS`), or the peak since {@link resetPeak} (`VmHWM`). */
export function residentMb(pid: number | undefined, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Resets the peak of a process's memory. */
export function resetPeak(pid: number | undefined): void {
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns one of n8n's own nodes. */
export const node = (name: string, type: string, typeVersion = 1, parameters = {}): INode =>
	makeNode(name, `n8n-nodes-base.${type}`, parameters, { typeVersion });

export const noOperation = node('Nothing', 'noOp');

/** Stores a credential for the sandbox's account. */
export const createCredential = async (client: N8nClient, baseUrl: string): Promise<Credential> =>
	await client.createCredential('virtualPbxApi', 'PBX of the bench', { baseUrl, ...SANDBOX_LOGIN });

/** Stores and activates a workflow of chained nodes. Returns the production URL of its first node. */
export async function activate(client: N8nClient, nodes: INode[]): Promise<string> {
	const [first] = nodes;
	// Executions aren't stored, so that the database isn't measured.
	const unsaved = { saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' };
	const { id } = await client.createWorkflow(rowOf(`Benchmark: ${first?.type}`, nodes, unsaved));
	await client.activate(id);
	const isOurs = first?.parameters.path === undefined;
	return `${client.rest.url}/webhook/${first?.webhookId}${isOurs ? '/routing' : ''}`;
}

/** Activates a workflow of the event trigger and another node. Returns a function that creates a request with a new event. */
export async function makeEventFlow(
	client: N8nClient,
	sandbox: Sandbox,
): Promise<(url?: string) => Request> {
	const credential = await createCredential(client, sandbox.url);
	const parameters = {
		filters: { number: '12125550123' },
		deliveryOptions: { skipUrlCheck: true },
	};
	// For version 1 of any trigger, n8n evaluates an expression for each request's body.
	const more = { typeVersion: 1.1, ...credentialOf(credential) };
	const trigger = makeNode('Event', 'virtualPbxTrigger', parameters, more);
	await activate(client, [trigger, noOperation]);
	const webhooks = [...sandbox.pbx.accounts.values()].flatMap((one) => one.webhooks.all());
	const registered = webhooks.find(({ uri }) => uri.includes(String(trigger.webhookId)));
	if (!registered) throw new Error('The trigger has registered no webhook');
	const { uri, custom_data: customData } = registered;
	const { name, args } = sampleOf('ended', 63_962_000_000);
	return (url = uri) => {
		const event = { name, args: { ...args, 'Msg-ID': randomUUID() }, custom_data: customData };
		const headers = { 'content-type': 'application/json' };
		return new Request(url, { method: 'POST', headers, body: JSON.stringify(event) });
	};
}

/**
 * Sends requests for some seconds, or an amount of them; each caller sends the next one after a response. Returns the
 * number of 2xx responses, their rate per second and times in milliseconds, and the number of all other results.
 */
export async function sendLoad(
	request: (count: number) => Request,
	{ callers = 1, seconds = Infinity, amount = Infinity },
) {
	const times: number[] = [];
	const began = performance.now();
	let sent = 0;
	const caller = async () => {
		while (sent < amount && performance.now() - began < seconds * 1000) {
			const before = performance.now();
			const signal = AbortSignal.timeout(60_000);
			const response = await fetch(request(sent++), { signal }).catch(() => undefined);
			await response?.text();
			if (response?.ok) times.push(performance.now() - before);
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	times.sort((one, other) => one - other);
	const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
	return {
		accepted: times.length,
		rejected: sent - times.length,
		perSecond: (times.length * 1000) / (performance.now() - began),
		p50: at(0.5),
		p99: at(0.99),
	};
}
