import { setTimeout as sleep } from 'node:timers/promises';
import type { N8nClient } from '../../n8n';
import {
	immediate,
	makeFlow,
	noOperation,
	respondToWebhook,
	routing,
	trigger,
	webhook,
} from './flows';

const ONE = { callers: 1, calls: 25 };
const MANY = { callers: 50, calls: 200 };
/** So that every answer that is timed is the workflow's own. */
const PATIENT = { deadline: 60 };
const NATIVE = 'Webhook + Respond to Webhook';

/** One row of the comparison; times in milliseconds, ratios to n8n's own pair. */
export interface SpeedRow {
	callers: number;
	workflow: string;
	p50: number;
	p99: number;
	'p50 ratio': number;
	'p99 ratio': number;
}

/**
 * Asks all workflows in turns, so that whatever else the machine does strikes all of them.
 *
 * @param rounds how many turns
 */
export async function compareSpeed(client: N8nClient, rounds: number): Promise<SpeedRow[]> {
	const urls = new Map([
		[NATIVE, await makeFlow(client, 'native', [webhook(), respondToWebhook])],
		[
			'Trigger + Respond',
			await makeFlow(client, 'respond', [
				trigger({ responseMode: 'responseNode' }),
				routing('respond'),
			]),
		],
		[
			'Trigger + Build Answer (last node)',
			await makeFlow(client, 'last', [trigger(PATIENT), routing('buildAnswer')]),
		],
		['Trigger, Immediately', await makeFlow(client, 'immediate', [immediate(), noOperation])],
		['Trigger, Immediately, nothing behind', await makeFlow(client, 'alone', [immediate()])],
	]);
	for (const url of urls.values()) await run(url, { callers: 1, calls: 10 });
	return [...(await compare(urls, rounds, ONE)), ...(await compare(urls, rounds, MANY))];
}

async function compare(
	urls: Map<string, string>,
	rounds: number,
	load: typeof ONE,
): Promise<SpeedRow[]> {
	const times = new Map<string, number[]>();
	for (let round = 0; round < rounds; round++) {
		for (const [workflow, url] of urls) {
			times.set(workflow, [...(times.get(workflow) ?? []), ...(await run(url, load))]);
			await sleep(500);
		}
	}
	const native = times.get(NATIVE) ?? [];
	return [...times].map(([workflow, list]) => ({
		callers: load.callers,
		workflow,
		p50: Math.round(percentile(list, 0.5)),
		p99: Math.round(percentile(list, 0.99)),
		'p50 ratio': ratio(percentile(list, 0.5), percentile(native, 0.5)),
		'p99 ratio': ratio(percentile(list, 0.99), percentile(native, 0.99)),
	}));
}

async function run(url: string, { callers, calls }: typeof ONE): Promise<number[]> {
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
	return times;
}

function percentile(list: number[], share: number): number {
	const sorted = [...list].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const ratio = (one: number, other: number) => Math.round((one / other) * 100) / 100;
