import { setTimeout as sleep } from 'node:timers/promises';
import type { N8nClient } from '../../n8n';
import { percentile } from '../statistics';
import {
	floorRespond,
	floorTrigger,
	immediate,
	makeFlow,
	noOperation,
	PATIENT,
	respondToWebhook,
	routing,
	trigger,
	webhook,
} from './flows';

const ONE = { callers: 1, calls: 25 };
const MANY = { callers: 50, calls: 200 };
const NATIVE = 'Webhook + Respond to Webhook';
const RESPOND = 'Trigger + Respond';
const LAST_NODE = 'Trigger + Build Answer (last node)';
const FLOOR_RESPOND = 'Empty trigger + empty respond';
const FLOOR_LAST_NODE = 'Empty trigger (last node)';
/** What n8n takes for the same with nodes that do nothing. */
const FLOORS = new Map([
	[RESPOND, FLOOR_RESPOND],
	[LAST_NODE, FLOOR_LAST_NODE],
]);

/** One row of the comparison; times in milliseconds, ratios to n8n's own pair and to nodes that do nothing. */
export interface SpeedRow {
	callers: number;
	workflow: string;
	p50: number;
	p99: number;
	'p50 ratio': number;
	'p99 ratio': number;
	'p50 to floor'?: number;
	'p99 to floor'?: number;
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
			RESPOND,
			await makeFlow(client, 'respond', [
				trigger({ ...PATIENT, responseMode: 'responseNode' }),
				routing('respond'),
			]),
		],
		[FLOOR_RESPOND, await makeFlow(client, 'floor', [floorTrigger('ResponseNode'), floorRespond])],
		[LAST_NODE, await makeFlow(client, 'last', [trigger(PATIENT), routing('buildAnswer')])],
		[
			FLOOR_LAST_NODE,
			await makeFlow(client, 'floor last', [floorTrigger('LastNode'), noOperation]),
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
	return [...times].map(([workflow, list]) => {
		const floor = times.get(FLOORS.get(workflow) ?? '');
		return {
			callers: load.callers,
			workflow,
			p50: Math.round(percentile(list, 0.5)),
			p99: Math.round(percentile(list, 0.99)),
			'p50 ratio': ratio(list, native, 0.5),
			'p99 ratio': ratio(list, native, 0.99),
			...(floor && {
				'p50 to floor': ratio(list, floor, 0.5),
				'p99 to floor': ratio(list, floor, 0.99),
			}),
		};
	});
}

/**
 * Asks a URL `calls` times from `callers` at once.
 *
 * @returns milliseconds of each call
 * @throws when an answer is not 200
 */
export async function run(url: string, { callers, calls }: typeof ONE): Promise<number[]> {
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

const ratio = (ours: number[], others: number[], share: number) =>
	Math.round((percentile(ours, share) / percentile(others, share)) * 100) / 100;
