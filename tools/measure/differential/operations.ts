import type { IDataObject } from 'n8n-workflow';
import { recordOf } from '../engine/samples';
import { ATTEMPTS, CALLFLOWS, RECORDS, WEBHOOKS } from './corpus';
import type { World } from './world';

const ADDRESS = 'https://n8n.example/webhook/old/webhook';

/** Fills a PBX account: callflows, webhooks with attempts, and the records of some days. */
export function fillAccount(world: World): void {
	const { pbx, random } = world;
	const isKazoo = random.chance(0.4);
	pbx.reset({ isKazoo, pageSize: random.pick([Infinity, 2, 50]) });
	for (const id of ['c1', 'c2', 'c3']) pbx.callflows.set(id, { ...random.pick(CALLFLOWS), id });
	for (const id of ['w1', 'w2', 'w3']) {
		const uri = random.pick([ADDRESS, 'https://crm.example/in']);
		pbx.webhooks.set(id, { ...random.pick(WEBHOOKS), id, ...(random.chance(0.5) ? { uri } : {}) });
	}
	pbx.attempts = random.some(ATTEMPTS).map((attempt) => ({
		...attempt,
		hook_id: random.pick(['w1', 'w2', 'x']),
		timestamp: world.now - random.whole(0, 90_000),
	}));
	const made = Array.from({ length: random.whole(0, 12) }, () =>
		recordOf(world.leg({ at: world.now - random.whole(0, 300_000) }), isKazoo),
	);
	const shown = random
		.some(RECORDS, 0.2)
		.map((record) => ({ ...record, TIMESTAMP: String(world.now - 100) }));
	pbx.records = [...made, ...shown];
}

const ITEMS: IDataObject[] = [
	{},
	{ id: 'c1', number: '101', callId: 'c1@10.20.0.5' },
	{ type: 'extension', extension: 101 },
	{ operations: [{ type: 'play', filename: 'hello' }] },
	{
		recordingUrl:
			'https://pbx.example/v1/pbx/accounts/acc0123456789abcdef0123456789abcd/recorded/missing.mp3',
	},
	{
		recordings: [{ file: 'a.mp3', url: 'https://pbx.example/recorded/a.mp3' }],
		callId: 'c2@10.20.0.5',
	},
	...RECORDS.slice(0, 3),
];

/** Runs one operation with random parameters, on a PBX that sometimes misbehaves. */
export async function operate(world: World): Promise<void> {
	const { random } = world;
	fillAccount(world);
	if (random.chance(0.35)) world.behaveOddly();
	const parameters = world.parameters('virtualPbx', random.pick([0, 0.05, 0.3]));
	const onError = random.pick([
		'stopWorkflow',
		'continueRegularOutput',
		'continueErrorOutput',
	] as const);
	const before = [
		{
			name: 'Routing',
			type: 'n8n-nodes-virtual-pbx.virtualPbxRoutingTrigger',
			parameters: { responseMode: random.pick(['responseNode', 'lastNode']) },
		},
	];
	const engine = world.engine('virtualPbx', parameters, {
		onError,
		...(random.chance(0.7) ? { before } : {}),
	});
	const items = Array.from({ length: random.pick([1, 1, 2, 4]) }, () => ({
		json: random.pick(ITEMS),
	}));
	const what = `${String(parameters.resource)}:${String(parameters.operation)}`;
	await world.step(what, engine, async () => await engine.execute(structuredClone(items)));
}

/** Logs in with odd data, to a misbehaving PBX, or with an old token. */
export async function logIn(world: World): Promise<void> {
	const { random, credential } = world;
	fillAccount(world);
	world.behaveOddly();
	Object.assign(credential, {
		...(random.chance(0.3) && {
			baseUrl: random.pick([
				'https://pbx.example/',
				' https://pbx.example/v1',
				'pbx.example',
				'http://[::1]:80',
				'',
				'https://pbx.example/base/',
			]),
		}),
		...(random.chance(0.2) && { realm: random.pick(['', ' demo.example ', 'démo']) }),
		...(random.chance(0.2) && { platform: random.pick(['', 'zebra', 'a/b']) }),
		...(random.chance(0.2) && { authToken: random.pick(['old', 'v1:old']) }),
		...(random.chance(0.2) && { recordingHosts: random.pick(['other.example', '*', 'a, b']) }),
	});
	const given = { resource: random.pick(['account', 'callflow']), operation: 'get' };
	const engine = world.engine('virtualPbx', world.parameters('virtualPbx', 0, given));
	for (const time of ['first', 'second'])
		await world.step(`login, ${time}`, engine, async () => await engine.execute([{ json: {} }]));
}

/** Runs the list searches of the editor. */
export async function chooseFromList(world: World): Promise<void> {
	const { random } = world;
	fillAccount(world);
	if (random.chance(0.3)) world.behaveOddly();
	const type = random.pick(['virtualPbx', 'virtualPbxRoutingTrigger']);
	const engine = world.engine(type, world.parameters(type, 0.1));
	const filter = random.pick([undefined, '', '101', 'FRONT', 'x']);
	const token = random.pick([undefined, undefined, '2', 'odd']);
	for (const method of Object.keys(engine.type.methods?.listSearch ?? {}).sort())
		await world.step(
			`list: ${method}`,
			engine,
			async () => await engine.search(method, filter, token),
		);
}
