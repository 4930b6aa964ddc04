import { withBed } from '../bed';
import { ask } from '../events';
import { activate, answerFlows, FLOOR, WITH_FLOOR } from '../flow';
import { compare, ENGINES, inTurns } from '../measure';
import type { Claim, Engine, Slice } from '../measure';

/** Where n8n makes a sandbox for each request, that decides. */
const AIMS = { lazy: { atMost: 0.9 }, default: undefined };

/** Short rounds, and many: the machine's speed changes within seconds. */
const LOADS: Record<
	Engine,
	ReadonlyArray<readonly [callers: number, calls: number, rounds: number]>
> = {
	lazy: [
		[1, 20, 40],
		[50, 100, 24],
	],
	default: [
		[1, 10, 24],
		[50, 100, 6],
	],
};

/** How fast a live call gets its answer. */
export const routing: Slice = {
	name: 'routing',
	async measure() {
		return [...(await measureOne('lazy')), ...(await measureOne('default'))];
	},
};

async function measureOne(engine: Engine): Promise<Claim[]> {
	return await withBed(
		async ({ client }) => {
			const flows = answerFlows();
			const urls = {
				ours: await activate(client, flows.json),
				steps: await activate(client, flows.ours),
				theirs: await activate(client, flows.theirs),
				floor: await activate(client, flows.floor),
			};
			const claims: Claim[] = [];
			for (const load of LOADS[engine]) claims.push(...(await measureLoad(urls, engine, load)));
			return claims;
		},
		{ ...ENGINES[engine], ...WITH_FLOOR },
	);
}

async function measureLoad(
	urls: Record<'ours' | 'steps' | 'theirs' | 'floor', string>,
	engine: Engine,
	[callers, calls, rounds]: readonly [number, number, number],
): Promise<Claim[]> {
	const rival = (url: string) => async () => await ask(url, callers, calls);
	const { ours, steps, theirs, floor } = await inTurns(
		{
			ours: rival(urls.ours),
			steps: rival(urls.steps),
			theirs: rival(urls.theirs),
			floor: rival(urls.floor),
		},
		{ rounds, warmUps: 2 },
	);
	const at = `${callers} at once, ${engine}`;
	return [
		...compare('Webhook nodes', ours, theirs, [
			[`p50, ${at}`, 'ms', 'p50', AIMS[engine]],
			// Of few calls, p99 is the slowest one.
			...(callers > 1 ? [[`p99, ${at}`, 'ms', 'p99'] as const] : []),
		]),
		...compare('Webhook nodes', steps, theirs, [[`p50, answer in steps, ${at}`, 'ms', 'p50']]),
		...compare(FLOOR.nodes, ours, floor, [[`p50, ${at}`, 'ms', 'p50']]),
	];
}
