import { startN8n } from '../../n8n';
import type { N8nProcess } from '../../n8n';
import { activate, answerFlows, FLOOR, WITH_FLOOR } from '../flow';
import { compare, inTurns, percentile } from '../measure';
import type { Claim, Slice } from '../measure';

/** Where n8n makes a sandbox for each expression, that decides. */
const AIMS = { legacy: { atMost: 0.9 }, vm: undefined };

type Load = readonly [callers: number, calls: number, rounds: number];
/** Short rounds, and many: the machine's speed changes within seconds. */
const LOADS: Record<keyof typeof AIMS, readonly Load[]> = {
	legacy: [
		[1, 20, 40],
		[50, 100, 24],
	],
	vm: [
		[1, 10, 24],
		[50, 100, 6],
	],
};
const LIGHT: readonly Load[] = [
	[1, 3, 1],
	[50, 10, 1],
];

/** How fast a live call gets its answer. */
export const routing: Slice = {
	name: 'routing',
	title: 'Answers to live calls',
	advice:
		'If callers wait for your workflow, set `N8N_EXPRESSION_ENGINE=legacy`, or plan one n8n process for each 10 questions a second; [Speed](routing.md#speed) lists what else helps.',
	method:
		"Our routing trigger with Respond, against Webhook with Respond to Webhook, in both of n8n's engines for expressions. Both have the answer as JSON; _in steps_ is ours with the fields for each step. The floor is a trigger and a node that do nothing but answer. In the legacy engine, the floor itself takes about nine tenths of the Webhook nodes, so the aim is out of reach: what ours takes beyond is mostly n8n going through the fields of our action node for each execution.",
	measure,
};

async function measure(full: boolean): Promise<Claim[]> {
	const claims: Claim[] = [];
	for (const engine of full ? (['vm', 'legacy'] as const) : (['vm'] as const)) {
		const env = { N8N_EXPRESSION_ENGINE: engine, N8N_LOG_LEVEL: 'error', ...WITH_FLOOR };
		const n8n = await startN8n({ env });
		try {
			claims.push(...(await measureOne(n8n, engine, full)));
		} finally {
			await n8n.dispose();
		}
	}
	return claims;
}

async function measureOne(
	n8n: N8nProcess,
	engine: keyof typeof AIMS,
	full: boolean,
): Promise<Claim[]> {
	const client = await n8n.signIn();
	const flows = answerFlows('GET');
	const urls = {
		ours: await activate(client, flows.json),
		steps: await activate(client, flows.ours),
		theirs: await activate(client, flows.theirs),
		floor: await activate(client, flows.floor),
	};
	const claims: Claim[] = [];
	for (const [callers, calls, rounds] of full ? LOADS[engine] : LIGHT) {
		const times = await inTurns(
			{
				ours: async () => await ask(urls.ours, callers, calls),
				steps: async () => await ask(urls.steps, callers, calls),
				theirs: async () => await ask(urls.theirs, callers, calls),
				floor: async () => await ask(urls.floor, callers, calls),
			},
			{ rounds, warmUps: full ? 2 : 0 },
		);
		const at = `${callers} at once, ${engine} engine`;
		claims.push(
			...compare('Webhook nodes', times.ours, times.theirs, [
				[`p50, ${at}`, 'ms', 'p50', AIMS[engine]],
				// Of few calls, p99 is the slowest one.
				...(callers > 1 ? [[`p99, ${at}`, 'ms', 'p99'] as const] : []),
			]),
			...compare('Webhook nodes', times.steps, times.theirs, [
				[`p50, answer in steps, ${at}`, 'ms', 'p50'],
			]),
			...compare(FLOOR.nodes, times.ours, times.floor, [[`p50, ${at}`, 'ms', 'p50']]),
		);
	}
	return claims;
}

/** Asks so many times from so many callers at once. Throws when an answer is not 200. */
async function ask(url: string, callers: number, calls: number) {
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
