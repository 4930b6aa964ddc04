import { randomBytes, randomUUID } from 'node:crypto';
import { sampleOf } from '../../../nodes/VirtualPbx/events/samples';
import { MARK_NAME } from '../../../nodes/VirtualPbx/events/secret';

/** A request that nobody honest would send. */
export interface HostileDelivery {
	kind: string;
	body: string | Buffer;
	contentType: string;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const WRONG_VALUES = [
	null,
	5,
	true,
	[],
	[1],
	{},
	{ x: 1 },
	'',
	'x'.repeat(5000),
	'\u0000',
	'💥',
	-1e308,
];

function sample(): { name: string; args: Record<string, unknown> } {
	const event = sampleOf('ended', 63_962_000_000);
	return { ...event, args: { ...event.args, 'Msg-ID': randomUUID() } };
}

const nest = (depth: number, open: string, close: string) =>
	open.repeat(depth) + '1' + close.repeat(depth);

/** By kind, what makes one delivery; `round` makes each a little different. */
const KINDS: Record<string, (round: number) => Omit<HostileDelivery, 'kind'>> = {
	forged: () => ({ body: JSON.stringify(sample()), contentType: JSON_TYPE }),
	'forged with a guess': () => ({
		body: JSON.stringify({ ...sample(), [MARK_NAME]: randomBytes(32).toString('hex') }),
		contentType: JSON_TYPE,
	}),
	'forged with many guesses': () => ({
		body: JSON.stringify(
			Object.assign(
				sample(),
				Object.fromEntries(
					Array.from({ length: 200 }, (_, n) => [`a${n}_${MARK_NAME}`, randomUUID()]),
				),
			),
		),
		contentType: JSON_TYPE,
	}),
	'forged with a structure for the secret': (round) => ({
		body: JSON.stringify({ ...sample(), [MARK_NAME]: WRONG_VALUES[round % WRONG_VALUES.length] }),
		contentType: JSON_TYPE,
	}),
	malformed: (round) => ({
		body: JSON.stringify(sample()).slice(0, 1 + (round % 400)),
		contentType: JSON_TYPE,
	}),
	noise: (round) => ({ body: randomBytes(1 + (round % 300)), contentType: JSON_TYPE }),
	'noise as a form': (round) => ({ body: randomBytes(1 + (round % 300)), contentType: FORM_TYPE }),
	'noise of a strange type': (round) => ({
		body: randomBytes(1 + (round % 300)),
		contentType: `x/${round}`,
	}),
	'wrong types': (round) => {
		const event = sample();
		const names = [...Object.keys(event.args), 'name', 'args'];
		const name = names[round % names.length] ?? 'name';
		const value = WRONG_VALUES[round % WRONG_VALUES.length];
		const changed =
			name in event.args
				? { ...event, args: { ...event.args, [name]: value } }
				: { ...event, [name]: value };
		return { body: JSON.stringify(changed), contentType: JSON_TYPE };
	},
	'wrong body': (round) => ({
		body: JSON.stringify(WRONG_VALUES[round % WRONG_VALUES.length]),
		contentType: JSON_TYPE,
	}),
	'prototype keys': (round) => {
		const key = ['__proto__', 'constructor', 'prototype'][round % 3] ?? '__proto__';
		const inner = `"${key}":{"isAdmin":true,"args":{},"name":"CHANNEL_DESTROY"}`;
		return { body: JSON.stringify(sample()).replace('{', `{${inner},`), contentType: JSON_TYPE };
	},
	'prototype keys in a form': () => ({
		body: '__proto__[isAdmin]=1&args[__proto__][isAdmin]=1&constructor[prototype][isAdmin]=1&name=CHANNEL_DESTROY&args[Call-ID]=a',
		contentType: FORM_TYPE,
	}),
	deep: (round) => ({
		body: `{"name":"CHANNEL_DESTROY","args":${nest(65 + (round % 5000), '{"args":', '}')}}`,
		contentType: JSON_TYPE,
	}),
	'deep lists': (round) => ({
		body: nest(65 + (round % 20_000), '[', ']').replace('1', ''),
		contentType: JSON_TYPE,
	}),
	'deep forms': (round) => ({
		body: `name=CHANNEL_CREATE&args${'[a]'.repeat(10 + (round % 500))}=1`,
		contentType: FORM_TYPE,
	}),
	'many keys': () => ({
		body: JSON.stringify(Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`k${n}`, n]))),
		contentType: JSON_TYPE,
	}),
	'many events': () => ({
		body: JSON.stringify(Array.from({ length: 50 }, sample)),
		contentType: JSON_TYPE,
	}),
	'unknown event': (round) => ({
		body: JSON.stringify({ ...sample(), name: `CHANNEL_${round}` }),
		contentType: JSON_TYPE,
	}),
	'a secret in an unclosed text': () => ({
		body: JSON.stringify({ ...sample(), custom_data: `{"${MARK_NAME}":"` }),
		contentType: JSON_TYPE,
	}),
	empty: () => ({ body: '', contentType: JSON_TYPE }),
};

/** Big bodies, which are few because they are slow to send. */
const HUGE: Record<string, () => Omit<HostileDelivery, 'kind'>> = {
	'2 MB': () => ({
		body: JSON.stringify({ ...sample(), junk: 'x'.repeat(2_000_000) }),
		contentType: JSON_TYPE,
	}),
	'3 MB of keys': () => ({
		body: JSON.stringify(
			Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [`key-${n}`, `v${n}`])),
		),
		contentType: JSON_TYPE,
	}),
};

/** Makes `count` hostile deliveries of all kinds, a huge one in every 500. */
export function* hostileDeliveries(count: number): Generator<HostileDelivery> {
	const kinds = Object.entries(KINDS);
	const huge = Object.entries(HUGE);
	for (let round = 0; round < count; round++) {
		const list = round % 500 === 499 ? huge : kinds;
		const [kind, make] = list[round % list.length] ?? ['empty', KINDS.empty];
		if (make) yield { kind, ...make(Math.floor(round / kinds.length)) };
	}
}

/** How deliveries were answered: by status, and by kind where an answer was above 499. */
export interface Tally {
	statuses: Record<number, number>;
	above499: string[];
}

/** Sends deliveries to a URL, some at a time. */
export async function sendAll(
	url: string,
	deliveries: Iterable<HostileDelivery>,
	atOnce = 20,
): Promise<Tally> {
	const tally: Tally = { statuses: {}, above499: [] };
	const queue = deliveries[Symbol.iterator]();
	const lane = async () => {
		for (let next = queue.next(); !next.done; next = queue.next()) {
			const { kind, body, contentType } = next.value;
			const headers = { 'content-type': contentType };
			const response = await fetch(url, { method: 'POST', headers, body: body as BodyInit });
			const text = await response.text();
			tally.statuses[response.status] = (tally.statuses[response.status] ?? 0) + 1;
			if (response.status > 499) tally.above499.push(`${kind}: ${text.slice(0, 200)}`);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, lane));
	return tally;
}
