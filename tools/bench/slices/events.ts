import { withBed } from '../bed';
import { makeEventFlows, send } from '../events';
import { compare, inTurns } from '../measure';
import type { Claim, Slice } from '../measure';

/** How many events a second n8n accepts, and how long the slowest senders wait. */
export const events: Slice = {
	name: 'events',
	title: 'Events accepted',
	advice:
		'If your PBX sends more than 10 events a second to an n8n with two cores, set `N8N_EXPRESSION_ENGINE=legacy` or run [queue mode](queue-mode.md#how-many-processes); below that, one n8n is enough.',
	method:
		'Events come over 10 connections, and each starts a workflow with one more node. In its default engine, n8n 2.39 makes a sandbox for each request to any trigger but its own Webhook node.',
	measure,
};

async function measure(full: boolean): Promise<Claim[]> {
	return await withBed(async ({ sandbox, client }) => {
		const { body, ...urls } = await makeEventFlows(client, sandbox);
		const much = full ? { seconds: 6 } : { amount: 20 };
		const load = (url: string) => async () => await send({ url, body, callers: 10, ...much });
		const { ours, theirs } = await inTurns(
			{ ours: load(urls.ours), theirs: load(urls.theirs) },
			{ rounds: full ? 7 : 1, warmUps: full ? 1 : 0 },
		);
		return compare('Webhook node', ours, theirs, [
			['events accepted', '/s', 'perSecond'],
			['p99 of the answer', 'ms', 'p99'],
		]);
	});
}
