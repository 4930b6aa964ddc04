import { makeEventFlow } from '../events';
import { activate, noOperation, UNSAVED, webhook, withBed } from '../flow';
import { sendLoad } from '../load';
import { compare, ENGINES, alternate } from '../measure';
import type { Claim, Engine } from '../measure';

/**
 * Measures how many events n8n accepts per second, and how long the slowest senders wait. Throws if
 * one is rejected.
 */
export async function measureEvents(): Promise<Claim[]> {
	return [...(await measureOne('lazy')), ...(await measureOne('default'))];
}

async function measureOne(engine: Engine): Promise<Claim[]> {
	return await withBed(async ({ sandbox, client }) => {
		const event = await makeEventFlow(client, sandbox);
		const theirUrl = await activate(client, [webhook('onReceived', 'POST'), noOperation], UNSAVED);
		const load = (to?: string) => async () => {
			const result = await sendLoad(() => event(to), { callers: 10, seconds: 6 });
			if (result.rejected > 0) throw new Error(`n8n rejected ${result.rejected} requests`);
			return result;
		};
		const { ours, theirs } = await alternate(
			{ ours: load(), theirs: load(theirUrl) },
			{ rounds: 7 },
		);
		return compare('Webhook node', ours, theirs, [
			[`events accepted, ${engine} (/s)`, 'perSecond'],
			[`p99 of the response, ${engine} (ms)`, 'p99'],
		]);
	}, ENGINES[engine]);
}
