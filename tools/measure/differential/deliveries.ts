import type { IDataObject } from 'n8n-workflow';
import type { Delivery } from '../engine/exchange';
import type { Engine } from '../engine/engine';
import { eventOf } from '../engine/samples';
import { EVENTS, KAZOO_DELIVERIES } from './corpus';
import { hostile } from './hostile';
import { fillAccount } from './operations';
import type { World } from './world';

const FORM = 'application/x-www-form-urlencoded';

/** Runs an event trigger that receives deliveries from a PBX and from unknown senders. */
export async function deliver(world: World): Promise<void> {
	const { random, clock } = world;
	fillAccount(world);
	const all = ['started', 'answered', 'ended', 'missed'];
	const given = {
		events: random.pick([all, all, ['ended'], ['missed', 'ended'], ['answered']]),
		...(random.chance(0.6) && { filters: {} }),
	};
	const parameters = world.parameters('virtualPbxTrigger', random.pick([0, 0, 0, 0, 0.1]), given);
	const engine = world.engine('virtualPbxTrigger', parameters);
	const isTest = random.chance(0.1);
	const mode = isTest ? 'manual' : 'activate';
	const exists = await world.step(
		'checkExists',
		engine,
		async () => await engine.hook('checkExists', mode, isTest),
	);
	if (exists?.[0] !== true)
		await world.step('create', engine, async () => await engine.hook('create', mode, isTest));
	const tags = [...world.pbx.webhooks.values()].flatMap(({ custom_data: data }) =>
		data ? [data as IDataObject] : [],
	);
	const tag = tags.at(-1) ?? {};
	for (let count = 0; count < 26; count++) {
		if (random.chance(0.1)) await clock.pass(random.whole(1, 900_000));
		await deliverOne(world, engine, tag, isTest);
	}
	await world.step('delete', engine, async () => await engine.hook('delete', 'update', isTest));
}

async function deliverOne(world: World, engine: Engine, tag: IDataObject, isTest: boolean) {
	const { random } = world;
	const [what, delivery] = random.chance(0.15)
		? hostile(world.random, JSON.stringify(generated(world, tag)), JSON.stringify(tag))
		: typical(world, tag);
	await world.step(what, engine, async () => {
		const { response, sent, ...received } = await engine.receive(delivery, isTest);
		// n8n responds once the execution has started. An acknowledged event counts as accepted.
		if (received.started) response.end(random.chance(0.97) ? '' : undefined);
		response.emit('finish');
		return { ...received, ...sent() };
	});
}

/** Returns an event in the format of some platform. */
function typical(world: World, tag: IDataObject): [string, Delivery] {
	const { random } = world;
	if (random.chance(0.15)) {
		const { body, headers = {} } = random.pick(KAZOO_DELIVERIES);
		const more = new URLSearchParams(
			Object.entries(tag).map(([name, value]) => [
				random.pick([name, `custom_data[${name}]`]),
				String(value),
			]),
		);
		return ['kazoo', { raw: `${body}&${more}`, contentType: headers['content-type'] ?? FORM }];
	}
	const custom = random.chance(0.9)
		? tag
		: random.pick<IDataObject>([{}, { n8n_webhook_secret: 'odd' }, otherSecret(tag)]);
	const event = random.chance(0.75)
		? generated(world, custom)
		: withTag(world, random.pick(EVENTS), custom);
	return encoded(world, random.chance(0.15) ? mutated(world, event) : event);
}

function otherSecret(tag: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(tag).map(([name, value]) => [
			name,
			String(value).replace(/[0-9a-f]$/, (last) => (last === '0' ? '1' : '0')),
		]),
	);
}

function generated(world: World, tag: IDataObject): IDataObject {
	const event = eventOf(world.random.pick(['CREATE', 'ANSWER', 'DESTROY', 'DESTROY']), world.leg());
	return withTag(world, event, tag);
}

function withTag({ random }: World, event: IDataObject, tag: IDataObject): IDataObject {
	const { args } = event as { args?: IDataObject };
	const places: IDataObject[] = [
		{ ...event, custom_data: tag },
		args ? { ...event, args: { ...args, ...tag } } : { ...event, ...tag },
		args ? { ...event, args: { ...args, 'Custom-Data': tag } } : { ...event, 'custom-data': tag },
		args ? { ...args, ...tag } : { ...event, custom_data: JSON.stringify(tag) },
	];
	return random.pick(places);
}

const ODD_VALUES: unknown[] = [
	null,
	'',
	0,
	-1,
	1e20,
	true,
	[],
	{},
	['x'],
	{ a: { b: 'c' } },
	'sip:',
	'@',
	'é日本🙂',
	'x'.repeat(2000),
	'63962000000',
	'undefined',
];

function mutated({ random }: World, event: IDataObject): IDataObject {
	const copy = structuredClone(event);
	const fields = (copy.args ?? copy) as IDataObject;
	for (const name of random.some(Object.keys(fields), 0.15)) {
		if (random.chance(0.3)) delete fields[name];
		else fields[name] = random.pick(ODD_VALUES) as never;
	}
	return copy;
}

function encoded(world: World, event: IDataObject): [string, Delivery] {
	const { random } = world;
	const { name = '', args = {} } = event as { name?: string; args?: IDataObject };
	const flat = { ...event, ...args, hook_event: name.toLowerCase(), args: undefined };
	const json = (value: unknown) => JSON.stringify(value);
	const form = (value: object) => new URLSearchParams(pairsOf(value)).toString();
	const forms: Array<[string, () => Delivery]> = [
		['JSON', () => ({ raw: json(event) })],
		['JSON', () => ({ raw: json(event) })],
		['flat', () => ({ raw: json(flat) })],
		[
			'list',
			() => ({ raw: json([event, generated(world, (event.custom_data ?? {}) as IDataObject)]) }),
		],
		['envelope', () => ({ raw: json({ data: event, account_id: 'x' }) })],
		[
			'envelope of a list',
			() => ({ raw: json({ data: [event, { data: flat }], custom_data: event.custom_data }) }),
		],
		['form', () => ({ raw: form(flat), contentType: FORM })],
		['form with args', () => ({ raw: form(event), contentType: `${FORM}; charset=utf-8` })],
		['JSON in a form', () => ({ raw: form({ data: json(event) }), contentType: FORM })],
		['JSON in a form', () => ({ raw: json(event), contentType: FORM })],
		[
			'JSON as text',
			() => ({
				raw: json(event),
				contentType: random.pick(['text/plain', '', 'text/html', 'application/vnd.x+json']),
			}),
		],
	];
	const [what, make] = random.pick(forms);
	return [what, make()];
}

/** Returns the fields of a form, with nested fields in brackets. */
function pairsOf(value: object, place = ''): Array<[string, string]> {
	return Object.entries(value).flatMap(([name, inner]): Array<[string, string]> => {
		const path = place === '' ? name : `${place}[${name}]`;
		if (inner === undefined) return [];
		return typeof inner === 'object' && inner !== null
			? pairsOf(inner as object, path)
			: [[path, String(inner)]];
	});
}
