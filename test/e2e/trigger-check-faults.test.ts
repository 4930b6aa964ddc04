import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { N8nClient, OWNER } from '../../tools/n8n';
import { eventually } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import type { OwnN8n } from '../support/e2e/own';
import { CheckBed, ONE_CHECK_MS } from '../support/trigger/checkBed';

const MINUTES = 60_000;
/** So many triggers are deactivated so often each, in the middle of a check: 200 times in all. */
const RACERS = 40;
const RACES = 5;
/** The request of a repair at which n8n is killed. */
const KILLS = [{ method: 'PUT' }, { method: 'PUT', skip: 1 }, { method: 'DELETE' }];

let own: OwnN8n;
let n8n: N8nClient;
const beds: CheckBed[] = [];
beforeAll(async () => {
	own = await startOwnN8n();
	n8n = await N8nClient.signIn(own.url, OWNER);
}, 120_000);
afterAll(async () => {
	await own.dispose();
	for (const bed of beds) await bed.close();
});

const makeBed = async () => {
	const bed = await CheckBed.start(n8n);
	beds.push(bed);
	return bed;
};
const faultsOf = ({ pbx }: CheckBed) => pbx.sandbox.pbx.faults;
const log = () => readFileSync(own.main.log, 'utf8');

/** Waits for a fault to strike. */
const hit = async ({ hits: before, id }: { hits: number; id: string }, bed: CheckBed) =>
	await eventually(() => {
		const now = faultsOf(bed).list();
		expect(now.find((one) => one.id === id)?.hits).toBeGreaterThan(before);
	}, ONE_CHECK_MS);

/** What happens to a trigger, each at a PBX of its own, all at the same time. */
const CASES: Record<string, (bed: CheckBed) => void | Promise<void>> = {
	'were switched off': (bed) =>
		bed.own().forEach((one) => bed.store.put({ ...one, enabled: false })),
	'were deleted': (bed) => bed.own().forEach(({ id }) => bed.store.remove(id)),
	'were edited': (bed) => bed.own().forEach((one) => bed.store.put({ ...one, custom_data: {} })),
	'were sent elsewhere': (bed) =>
		bed
			.own()
			.forEach((one) => bed.store.put({ ...one, uri: 'http://127.0.0.1:9/', enabled: false })),
	'were doubled': (bed) => bed.own().forEach((one) => bed.store.put({ ...one, id: `${one.id}2` })),
	'are not as they were while their list fails': async (bed) => {
		bed.store.remove(String(bed.own()[0]?.id));
		const fault = faultsOf(bed).add({ kind: 'status', path: '*/webhooks', status: 400 });
		await hit(fault, bed);
		await sleep(1000);
		expect(bed.hooks()).toHaveLength(2);
		faultsOf(bed).remove(fault.id);
	},
	'are not as they were while the PBX is down for three checks': async (bed) => {
		bed.store.remove(String(bed.own()[0]?.id));
		const fault = faultsOf(bed).add({ kind: 'drop' });
		const words = `in "${bed.workflow.name}": the trigger could not be checked.`;
		await eventually(() => expect(log()).toContain(words), 5 * MINUTES);
		faultsOf(bed).remove(fault.id);
	},
	'are not as they were when the token ends': (bed) => {
		bed.store.remove(String(bed.own()[0]?.id));
		bed.pbx.sandbox.pbx.tokens.expire();
	},
};

/** Deactivates again and again in the middle of a check; tells how many webhooks the checks had made by then. */
async function race(bed: CheckBed): Promise<number> {
	let made = 0;
	for (let round = 0; round < RACES; round++) {
		if (round > 0) await n8n.activate(bed.workflow.id);
		for (const { id } of bed.own()) bed.store.remove(id);
		const slow = { kind: 'latency', path: '*/webhooks*', seconds: 0.3 } as const;
		await hit(faultsOf(bed).add(slow), bed);
		await sleep(Math.random() * 3000);
		made += bed.own().length;
		await bed.deactivate();
		faultsOf(bed).clear();
	}
	return made;
}

async function raceAll(): Promise<void> {
	const racers: CheckBed[] = [];
	while (racers.length < RACERS) racers.push(await makeBed());
	const made = await Promise.all(racers.map(race));
	expect(made.reduce((sum, one) => sum + one)).toBeGreaterThan(0);
	await sleep(ONE_CHECK_MS);
	for (const bed of racers) bed.expectNothingLeft();
}

describe('side by side', () => {
	const results = new Map<string, Promise<void>>();
	const start = (name: string, work: () => Promise<void>) => {
		const result = work();
		result.catch(() => undefined);
		results.set(name, result);
	};
	beforeAll(async () => {
		for (const [name, disturb] of Object.entries(CASES)) {
			const bed = await makeBed();
			start(name, async () => {
				await disturb(bed);
				await bed.becomesHealthy();
				await bed.expectEvents();
				await bed.deactivate();
			});
		}
		start('race', raceAll);
	}, 120_000);

	it.each(Object.keys(CASES))(
		'webhooks that %s are right after the next check, one per event, and go with the deactivation',
		async (name) => await results.get(name),
		8 * MINUTES,
	);

	it(
		`${RACERS * RACES} deactivations in the middle of a check leave nothing`,
		async () => {
			await results.get('race');
			expect(log()).not.toMatch(/could not be repaired/);
		},
		15 * MINUTES,
	);
});

it(
	'a trigger is right after the next check where n8n was killed in the middle of a repair',
	async () => {
		const bed = await makeBed();
		for (const strike of KILLS) {
			for (const one of bed.own()) bed.store.put({ ...one, enabled: false });
			const slow = { kind: 'latency', path: '*/webhooks*', seconds: 2 } as const;
			await hit(faultsOf(bed).add({ ...slow, ...strike }), bed);
			await own.main.kill();
			faultsOf(bed).clear();
			await sleep(3000);
			expect(bed.hooks().some((hook) => hook.endsWith(' off'))).toBe(true);
			await own.main.start();
			await bed.becomesHealthy();
		}
		await bed.expectEvents();
		await bed.deactivate();
	},
	8 * MINUTES,
);
