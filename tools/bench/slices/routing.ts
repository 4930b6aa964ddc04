import { startN8n } from '../../n8n';
import type { N8nClient } from '../../n8n';
import { claim, inTurns, rounded } from '../measure';
import type { Claim, Effort, Growth, Measured, Slice } from '../measure';
import {
	FLOOR_FOLDER,
	floorRespond,
	floorTrigger,
	makeFlow,
	PATIENT,
	respondToWebhook,
	routing as action,
	trigger,
	webhook,
} from '../routing/flows';
import { run } from '../routing/speed';
import { percentile } from '../statistics';

const ENGINES = ['vm', 'legacy'] as const;
const GROWTH = [1, 10, 100];
const AIM = { atMost: 0.8 };

/** How fast a live call gets its answer. */
export const routing: Slice = {
	name: 'routing',
	title: 'Answers to live calls',
	method:
		"Our routing trigger and Respond against n8n's Webhook and Respond to Webhook nodes, and against an empty trigger and an empty node that sends its item (the floor of any community package); one caller after another, and 50 at once; in n8n's default expression engine and in `N8N_EXPRESSION_ENGINE=legacy`.",
	notes:
		'Where the aim is not reached, n8n is the reason: in its default engine n8n 2.39 makes a sandbox for expressions in the webhook phase of every trigger but its own Webhook node. In the legacy engine that pair is hardly slower than nodes that do nothing. The ratio to the floor shows what is ours: reading the call in any form, checking the answer, watching the deadline.',
	measure,
};

type Rival = 'ours' | 'native' | 'floor';
type Urls = Record<Rival, string>;

async function measure(effort: Effort): Promise<Measured> {
	const full = effort === 'full';
	const claims: Claim[] = [];
	const growth: Growth[] = [];
	for (const engine of full ? ENGINES : ENGINES.slice(0, 1)) {
		const n8n = await startN8n({
			env: {
				N8N_EXPRESSION_ENGINE: engine,
				N8N_LOG_LEVEL: 'error',
				N8N_CUSTOM_EXTENSIONS: FLOOR_FOLDER,
			},
		});
		try {
			const urls = await makeFlows(await n8n.signIn());
			claims.push(...(await compare(urls, { engine, callers: 1, calls: full ? 30 : 3 }, full)));
			claims.push(...(await compare(urls, { engine, callers: 50, calls: full ? 150 : 10 }, full)));
			if (full) growth.push(await growthOf(urls.ours, engine));
		} finally {
			await n8n.dispose();
		}
	}
	return { claims, growth };
}

async function makeFlows(client: N8nClient): Promise<Urls> {
	const ours = trigger({ ...PATIENT, responseMode: 'responseNode' });
	return {
		ours: await makeFlow(client, 'Ours', [ours, action('respond')]),
		native: await makeFlow(client, 'Native', [webhook(), respondToWebhook]),
		floor: await makeFlow(client, 'Floor', [floorTrigger('ResponseNode'), floorRespond]),
	};
}

async function compare(
	urls: Urls,
	{ engine, callers, calls }: { engine: string; callers: number; calls: number },
	full: boolean,
): Promise<Claim[]> {
	const round = (rival: Rival) => async () => await run(urls[rival], { callers, calls });
	const times = await inTurns(
		{ ours: round('ours'), native: round('native'), floor: round('floor') },
		{ rounds: full ? 6 : 1, warmUps: full ? 1 : 0 },
	);
	const at = `${callers} at once, ${engine} engine`;
	return [0.5, 0.99].flatMap((share) => {
		const of = (rival: Rival) => times[rival].map((round) => percentile(round, share));
		const about = { what: `p${share * 100}, ${at}`, unit: 'ms' };
		return [
			claim(
				{ ...about, against: 'Webhook + Respond to Webhook', aim: AIM },
				of('ours'),
				of('native'),
			),
			claim({ ...about, against: 'empty nodes (floor)' }, of('ours'), of('floor')),
		];
	});
}

async function growthOf(url: string, engine: string): Promise<Growth> {
	const points: Growth['points'] = [];
	for (const work of GROWTH) {
		const times = await run(url, { callers: work, calls: Math.max(20, work) });
		points.push({ work, value: rounded(percentile(times, 0.5)) });
	}
	return { what: `p50 by callers at once, ${engine} engine`, unit: 'ms', points };
}
