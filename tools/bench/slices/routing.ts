import { startN8n } from '../../n8n';
import type { N8nProcess } from '../../n8n';
import { activate, answerFlows } from '../flow';
import { compare, inTurns, percentile } from '../measure';
import type { Claim, Slice } from '../measure';

const AIM = { atMost: 0.8 };

/** How fast a live call gets its answer. */
export const routing: Slice = {
	name: 'routing',
	title: 'Answers to live calls',
	advice:
		"If callers wait for your workflow, plan one n8n process for each 10 questions a second, or set `N8N_EXPRESSION_ENGINE=legacy`: an answer then takes as long as with n8n's own nodes. [Speed](routing.md#speed) lists what else helps.",
	method:
		"Our routing trigger with Respond, against Webhook with Respond to Webhook, in both of n8n's engines for expressions.",
	measure,
};

async function measure(full: boolean): Promise<Claim[]> {
	const claims: Claim[] = [];
	for (const engine of full ? ['vm', 'legacy'] : ['vm']) {
		const env = { N8N_EXPRESSION_ENGINE: engine, N8N_LOG_LEVEL: 'error' };
		const n8n = await startN8n({ env });
		try {
			claims.push(...(await measureOne(n8n, `${engine} engine`, full)));
		} finally {
			await n8n.dispose();
		}
	}
	return claims;
}

async function measureOne(n8n: N8nProcess, engine: string, full: boolean): Promise<Claim[]> {
	const client = await n8n.signIn();
	const flows = answerFlows('GET');
	const ours = await activate(client, flows.ours);
	const theirs = await activate(client, flows.theirs);
	const claims: Claim[] = [];
	for (const [callers, calls] of full
		? ([
				[1, 30],
				[50, 150],
			] as const)
		: ([
				[1, 3],
				[50, 10],
			] as const)) {
		const times = await inTurns(
			{
				ours: async () => await ask(ours, callers, calls),
				theirs: async () => await ask(theirs, callers, calls),
			},
			{ rounds: full ? 6 : 1, warmUps: full ? 1 : 0 },
		);
		const at = `${callers} at once, ${engine}`;
		claims.push(
			...compare('Webhook nodes', times.ours, times.theirs, [
				[`p50, ${at}`, 'ms', 'p50', AIM],
				// Of few calls, p99 is the slowest one.
				...(callers > 1 ? [[`p99, ${at}`, 'ms', 'p99', AIM] as const] : []),
			]),
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
