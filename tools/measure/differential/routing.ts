import type { IDataObject } from 'n8n-workflow';
import type { Delivery } from '../engine/exchange';
import type { Engine } from '../engine/engine';
import { KAZOO_PIVOT_REQUESTS, PIVOT_REQUESTS } from './corpus';
import { fillAccount } from './operations';
import type { World } from './world';

const FORM = 'application/x-www-form-urlencoded';

/** Runs a routing trigger with requests from a PBX, and with or without answers from a workflow. */
export async function route(world: World): Promise<void> {
	const { random } = world;
	fillAccount(world);
	const type = 'virtualPbxRoutingTrigger';
	const parameters = world.parameters(type, random.pick([0, 0, 0.1]), { connect: 'manual' });
	const after = random.chance(0.8) ? [{ name: 'Next', type: 'test.nothing' }] : [];
	const engine = world.engine(type, parameters, { after });
	await world.step('publish', engine, async () => await engine.hook('checkExists', 'activate'));
	for (let count = 0; count < 20; count++) await requestOnce(world, engine);
}

async function requestOnce(world: World, engine: Engine): Promise<void> {
	const { random, clock } = world;
	const answer = await answerOf(world);
	await world.step('request', engine, async () => {
		const { started, response, sent } = await engine.receive(requestOf(world));
		const wait = random.pick([0, 0, 0, 50, 3000, 70_000]);
		const begin = clock.now;
		await new Promise((resolve) => setTimeout(resolve, wait));
		const reply = response as unknown as Record<'json' | 'send' | 'end', (body: unknown) => void>;
		if (started) {
			const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
			random.pick([
				() => reply.json(answer),
				() => reply.send(answer),
				() => reply.end(text),
				() => response.emit('close'),
				() => undefined,
			])();
			await new Promise((resolve) => setTimeout(resolve, 61_000));
		}
		return { started, ...sent(), took: clock.now - begin };
	});
}

/** Returns the workflow's answer: built by this package's nodes, or arbitrary. */
async function answerOf(world: World): Promise<unknown> {
	const { random } = world;
	const odd = [
		'',
		'x',
		'[]',
		null,
		5,
		{},
		{ operations: [] },
		[{ type: 'extension', extension: 101 }],
		{ type: 'play' },
		{ message: 'Error in workflow' },
	];
	const steps = [
		{ type: 'extension', extension: 101, timeout: 20 },
		{ type: 'device', id: 'd1' },
	];
	const fine = [
		{ operations: steps },
		steps[0],
		{ operations: [{ type: 'play', filename: 'hello' }] },
	];
	if (random.chance(0.7)) return random.pick<unknown>(random.chance(0.6) ? fine : odd);
	const operation = random.pick(['buildAnswer', 'respond']);
	const given = { resource: 'routing', operation };
	const node = world.engine(
		'virtualPbx',
		world.parameters('virtualPbx', random.pick([0, 0.2]), given),
	);
	const run = await world.step(
		operation,
		node,
		async () => await node.execute([{ json: { type: 'extension', extension: '101' } }]),
	);
	return ((run?.output ?? []) as Array<Array<{ json: IDataObject }>>)[0]?.[0]?.json ?? {};
}

function requestOf({ random }: World): Delivery {
	if (random.chance(0.2)) {
		const { method = 'GET', url = '', headers = {}, body } = random.pick(KAZOO_PIVOT_REQUESTS);
		const query = Object.fromEntries(new URL(url, 'https://n8n.example').searchParams);
		return { method, query, raw: body, contentType: headers['content-type'] ?? FORM };
	}
	const fields: IDataObject = { ...random.pick(PIVOT_REQUESTS) };
	for (const name of random.some(Object.keys(fields), 0.1))
		fields[name] = random.pick<never>([
			['x', 'y'],
			'',
			'sip:101@x',
			'%',
			'é',
			{ a: 'b' },
		] as never[]);
	const flat = Object.entries(fields).map(([name, value]) => [name, String(value)]);
	if (random.chance(0.6)) return { method: 'GET', query: fields };
	const isJson = random.chance(0.5);
	const raw = isJson ? JSON.stringify(fields) : new URLSearchParams(flat as string[][]).toString();
	return { method: 'POST', query: {}, raw, contentType: isJson ? 'application/json' : FORM };
}
