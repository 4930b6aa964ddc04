import { recordOf } from '../engine/samples';
import type { Leg } from '../engine/samples';
import { fillAccount } from './operations';
import type { World } from './world';

const MINUTE = 60_000;

/** Runs a record trigger for days: calls end, records appear late, clocks jump, n8n restarts, and the PBX fails. */
export async function poll(world: World): Promise<void> {
	const { random, clock, pbx } = world;
	fillAccount(world);
	const isKazoo = pbx.quirks.isKazoo ?? false;
	const type = 'virtualPbxRecordTrigger';
	const parameters = world.parameters(type, random.pick([0, 0, 0, 0, 0, 0.1]));
	let engine = world.engine(type, parameters);
	let late: Leg[] = [];
	for (let count = 0; count < 40; count++) {
		await clock.pass(random.pick([1, 1, 5, 5, 15, 60, 240]) * MINUTE);
		if (random.chance(0.03)) clock.now += random.pick([-5, -90, 180]) * MINUTE;
		const calls = Array.from({ length: random.pick([0, 0, 1, 2, 4]) }, () => callOf(world)).flat();
		const [now, later] = [calls.filter(() => random.chance(0.8)), calls];
		const appearing = [...now, ...late.filter(() => random.chance(0.6))];
		late = later.filter((leg) => !now.includes(leg));
		pbx.records.push(...appearing.map((leg) => recordOf(leg, isKazoo)));
		if (random.chance(0.06)) world.behaveOddly();
		else delete pbx.quirks.odd;
		if (random.chance(0.04)) {
			const { staticData } = engine;
			engine = world.engine(type, parameters, { staticData });
		}
		const mode = random.chance(0.05) ? 'manual' : 'activate';
		const current = engine;
		await world.step('poll', current, async () => ({
			items: await current.poll(mode),
			kept: current.staticData,
		}));
	}
}

/** Creates the legs of a call that ends now or soon. */
function callOf(world: World): Leg[] {
	const { random } = world;
	const callId = `p${random.whole(1, 1e9)}@10.20.0.5`;
	const at = world.now + random.whole(-600, 60);
	const first = world.leg({ callId, at, isFirst: true });
	const others = Array.from({ length: random.pick([0, 1, 1, 2]) }, () =>
		world.leg({ callId, at: at - random.whole(0, 3), isFirst: false, caller: first.caller }),
	);
	return [first, ...others];
}
