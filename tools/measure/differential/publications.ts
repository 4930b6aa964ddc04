import type { IDataObject, WorkflowActivateMode } from 'n8n-workflow';
import type { Engine } from '../engine/engine';
import { ODD_REPLIES } from './corpus';
import { fillAccount } from './operations';
import type { World } from './world';

const RESPOND = {
	name: 'Respond',
	type: 'n8n-nodes-virtual-pbx.virtualPbx',
	parameters: { resource: 'routing', operation: 'respond' },
};

/** Publishes, checks, disturbs, and unpublishes an event or routing trigger, in random order. */
export async function publish(world: World): Promise<void> {
	const { random, clock } = world;
	fillAccount(world);
	const type = random.pick(['virtualPbxTrigger', 'virtualPbxRoutingTrigger']);
	const callflowId = { __rl: true, mode: 'id', value: random.pick(['c1', 'c2', 'c1', 'missing']) };
	const given: IDataObject =
		type === 'virtualPbxTrigger'
			? {}
			: { callflowId, connect: random.pick(['callflow', 'callflow', 'manual']) };
	const parameters = world.parameters(type, random.pick([0, 0, 0.05, 0.2]), given);
	const after = random.chance(0.8) ? [RESPOND] : [];
	let engine = world.engine(type, parameters, { after });
	const isTest = random.chance(0.1);
	for (let count = 0; count < 14; count++) {
		const act =
			count === 0
				? 'publish'
				: random.pick(['tick', 'tick', 'tick', 'publish', 'delete', 'restart', 'odd', 'even']);
		disturb(world);
		if (act === 'restart')
			engine = world.engine(type, parameters, { after, staticData: engine.staticData });
		if (act === 'odd') world.behaveOddly();
		if (act === 'even') delete world.pbx.quirks.odd;
		await clock.pass(random.pick([1000, 60_000, 300_000, 3_600_000]));
		if (act === 'tick') await world.step('tick', engine, async () => await tick(world, engine));
		else if (act === 'delete')
			await world.step('delete', engine, async () => await engine.hook('delete', 'update', isTest));
		else await activate(world, engine, isTest);
	}
	await world.step('delete', engine, async () => [
		await engine.hook('delete', 'update', isTest),
		stateOf(world),
	]);
}

/** Publishes as n8n does: `create` if `checkExists` returned false, and `trigger()`. */
async function activate(world: World, engine: Engine, isTest: boolean): Promise<void> {
	const { random } = world;
	const modes = [
		'activate',
		'activate',
		'update',
		'init',
		'leadershipChange',
	] as WorkflowActivateMode[];
	const mode = isTest ? 'manual' : random.pick(modes);
	const exists = await world.step(
		`checkExists, ${mode}`,
		engine,
		async () => await engine.hook('checkExists', mode, isTest),
	);
	if (exists?.[0] !== true)
		await world.step(`create, ${mode}`, engine, async () => [
			await engine.hook('create', mode, isTest),
			stateOf(world),
		]);
	if (!isTest) await world.step(`trigger, ${mode}`, engine, async () => await engine.start(mode));
}

async function tick(world: World, engine: Engine) {
	for (let minute = 0; minute < world.random.pick([1, 3, 6]); minute++) {
		world.clock.now += 60_000;
		await engine.tick();
	}
	return stateOf(world);
}

const stateOf = ({ pbx }: World) => [[...pbx.webhooks.values()], [...pbx.callflows.values()]];

/** Simulates changes that others make at the PBX. */
function disturb(world: World): void {
	const { random, pbx, now, credential } = world;
	const stores = [pbx.webhooks, pbx.callflows];
	const store = random.pick(stores);
	const id = random.pick([...store.keys(), '']);
	const found = store.get(id);
	const acts: Array<() => void> = [
		() => store.delete(id),
		() =>
			void (
				found &&
				store.set(id, {
					...found,
					uri: 'https://other.example/x',
					flow: { module: 'user', data: {}, children: {} },
				})
			),
		() =>
			void (
				found &&
				store.set(id, {
					...found,
					enabled: false,
					disable_reason: 'too many failures',
					numbers: [],
				})
			),
		() => void (found && store.set('copy', { ...structuredClone(found), id: 'copy' })),
		() =>
			void (pbx.attempts = [
				{
					hook_id: id,
					result: 'failure',
					reason: 'bad response code',
					response_code: random.pick([401, '404', 500, 200]),
					response_body: random.pick(['', 'n8n is starting up. Please wait']),
					timestamp: now - 30,
					client: 'x',
				},
			]),
		() => void (credential.password = random.pick(['secret-word', 'another-word'])),
		() =>
			void (pbx.quirks.ownAddress = random.pick([
				{ status: 404 },
				{ status: 401 },
				{ status: 200 },
				{ fault: 'ECONNREFUSED' },
				random.pick(ODD_REPLIES),
			])),
	];
	if (random.chance(0.35)) random.pick(acts)();
}
