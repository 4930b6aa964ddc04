import type { INode } from 'n8n-workflow';
import { makeNode } from '../../../n8n';
import { activate, node, webhook, withBed } from '../flow';
import { sendLoad } from '../load';
import { compare, ENGINES, alternate } from '../measure';
import type { Claim, Engine } from '../measure';

/** No aim for `default`, where creating expression sandboxes takes most of the time. */
const AIMS = { lazy: 0.9, default: undefined };

/** Many short rounds: the machine's speed changes within seconds. */
const LOADS = [
	{ callers: 1, calls: 20, rounds: 24 },
	{ callers: 50, calls: 100, rounds: 12 },
];

const ANSWER = JSON.stringify({
	operations: [
		{ type: 'extension', extension: '100', timeout: 20 },
		{ type: 'voicemail', extension: '100' },
	],
});

/** Measures how fast a live call gets its routing answer. Throws if a response isn't 200. */
export async function measureRouting(): Promise<Claim[]> {
	const claims: Claim[] = [];
	for (const engine of ['lazy', 'default'] as const)
		await withBed(async ({ client }) => {
			const ours = await activate(client, ourFlow());
			const theirs = await activate(client, theirFlow());
			for (const load of LOADS) claims.push(...(await measureLoad({ ours, theirs }, engine, load)));
		}, ENGINES[engine]);
	return claims;
}

/**
 * The Routing Trigger with Respond. Its deadline is long, so every answer is the workflow's own.
 */
export function ourFlow(): INode[] {
	const fallback = { step: [{ type: 'voicemail', extension: '999' }] };
	const patient = { connect: 'manual', deadline: 60, responseMode: 'responseNode', fallback };
	const respond = { resource: 'routing', operation: 'respond' };
	const answer = { ...respond, specifyAnswer: 'json', answer: ANSWER };
	return [
		makeNode('Call', 'virtualPbxRoutingTrigger', patient, { typeVersion: 2 }),
		makeNode('Answer', 'virtualPbx', answer),
	];
}

/** n8n's Webhook with Respond to Webhook. */
function theirFlow(): INode[] {
	const parameters = { respondWith: 'json', responseBody: ANSWER, options: {} };
	return [webhook('responseNode'), node('Respond', 'respondToWebhook', 1.5, parameters)];
}

async function measureLoad(
	urls: Record<'ours' | 'theirs', string>,
	engine: Engine,
	{ callers, calls, rounds }: (typeof LOADS)[number],
): Promise<Claim[]> {
	const { ours, theirs } = await alternate(
		{
			ours: async () => await ask(urls.ours, callers, calls),
			theirs: async () => await ask(urls.theirs, callers, calls),
		},
		{ rounds, warmUps: 2 },
	);
	const at = `${callers} at once, ${engine} (ms)`;
	return compare('Webhook nodes', ours, theirs, [
		[`p50, ${at}`, 'p50', AIMS[engine]],
		// With few calls, p99 is just the slowest one.
		...(callers > 1 ? [[`p99, ${at}`, 'p99'] as const] : []),
	]);
}

/** Sends routing requests from parallel callers. Throws if a response isn't 2xx. */
export async function ask(url: string, callers: number, amount: number) {
	const request = (count: number) => new Request(`${url}?Call-ID=${count}&From=100&To=200`);
	const result = await sendLoad(request, { callers, amount });
	if (result.rejected > 0) throw new Error(`${url} rejected ${result.rejected} requests`);
	return result;
}
