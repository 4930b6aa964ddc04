import { createHash } from 'node:crypto';
import { toGregorian } from '../../sandbox/model/time';
import { readCorpus, RECORDINGS, titled, type Recording, type Sent } from '../support/corpus';
import { sender, type Answer } from './support/http';
import { Listening, useListening } from './support/listening';

const hashed = (text: string) => createHash('md5').update(text).digest('hex');

const DELIVERIES = readCorpus<Sent[]>('kazoo/deliveries');
const QUESTIONS = readCorpus<Sent[]>('kazoo/pivot-requests');

/** Logins of the sandbox in place of the recorded ones. */
const LOGINS: Record<string, object> = {
	login: { credentials: hashed('demo:demo-password'), realm: 'demo.sandbox.local' },
	'login, wrong password': { credentials: hashed('demo:wrong'), realm: 'demo.sandbox.local' },
	'login, body lacks realm': { credentials: hashed('demo:demo-password') },
};

/** Tokens that are none, or not known. */
const TOKENS: Record<string, string> = { 'no token': '', 'broken token': 'broken' };

/** Notes around the data that a real Kazoo has in some of its answers only. */
const SOMETIMES = ['version', 'tokens', 'page_size', 'start_key', 'next_start_key', 'revision'];

type Shape = string | Shape[] | { [name: string]: Shape };

/** Returns the names and types of a value; of a list, those of its first item. Headers are up to who was called. */
function shapeOf(value: unknown): Shape {
	if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
	if (value === null || typeof value !== 'object') return typeof value;
	const entries = Object.entries(value);
	return Object.fromEntries(
		entries.map(([key, inner]) => [key, key === 'resp_headers' ? '' : shapeOf(inner)]),
	);
}

const idIn = ({ data }: { data?: unknown }): string => String((data as { id?: string }).id);

/** Leaves out what doesn't come every time, and what of a list was empty here or there. */
function comparable(body: Record<string, unknown>, other: Record<string, unknown>): Shape {
	const isEmpty = [body, other].some(({ data }) => Array.isArray(data) && data.length === 0);
	const dropped = isEmpty ? [...SOMETIMES, 'data'] : SOMETIMES;
	const kept = Object.entries(body).filter(([name]) => !dropped.includes(name));
	return shapeOf(Object.fromEntries(kept));
}

/** Names of a form's fields, those of one object as one, sorted. */
const namesIn = (form: string): string[] =>
	[...new Set([...new URLSearchParams(form).keys()].map((key) => key.replace(/\[.*/, '')))]
		.filter((key) => key !== '')
		.sort();

describe('on the profile kazoo, the sandbox answers as a real Kazoo did', () => {
	const pbx = new Listening();
	/** IDs of the recordings, and those that stand for them here. */
	const ids = new Map<string, string>();

	beforeAll(async () => {
		await pbx.open({ profile: 'kazoo', local_addresses: 'accept' });
		pbx.receiver.respond = (_received, response) =>
			response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
		for (let call = 0; call < 3; call++) await pbx.call({ outcome: 'busy' });
	});
	afterAll(async () => await pbx.close());

	/** The path of a recording here and now. */
	function pathHere({ what, request }: Recording): string {
		const now = toGregorian(Date.now());
		const span = what.includes('too long') ? 3_456_000 : 86_400;
		return [...ids]
			.reduce((all, [theirs, ours]) => all.replaceAll(theirs, ours), request.path)
			.replace('{acct}', pbx.account.id)
			.replace(/created_from=\d+/, `created_from=${now - span}`)
			.replace(/created_to=\d+/, `created_to=${now + 60}`);
	}

	async function replay(recording: Recording): Promise<Answer> {
		const { what, request } = recording;
		const token = TOKENS[what] ?? pbx.sandbox.pbx.tokens.issue(pbx.account);
		const isOpen = token === '' || request.path.endsWith('user_auth');
		const send = sender(pbx.sandbox.url, {
			'content-type': 'application/json',
			...(isOpen ? {} : { 'x-auth-token': token }),
		});
		const data = LOGINS[what];
		return await send(request.method, pathHere(recording), data ? { data } : request.body);
	}

	test.each(titled(RECORDINGS))('%s', async (_what, recording) => {
		const answer = await replay(recording);
		if (answer.status === 201) ids.set(idIn(recording.body), idIn(answer.body));
		expect(answer.status).toBe(recording.status);
		const { body } = recording;
		expect(comparable(answer.body, body)).toEqual(comparable(body, answer.body));
	});
});

describe('on the profile kazoo, the sandbox sends what a real Kazoo sent', () => {
	const pbx = useListening({ profile: 'kazoo', channel_vars: true });

	test.each(
		['channel_create', 'channel_answer', 'channel_destroy'].flatMap((event) =>
			['inbound', 'outbound'].map((direction) => [event, direction] as const),
		),
	)('in a delivery: %s of the %s leg', async (event, direction) => {
		await pbx.call();
		const isIt = (text: string) =>
			text.includes(`hook_event=${event}`) && text.includes(`call_direction=${direction}`);
		const ours = pbx.receiver.received.find(({ text }) => isIt(text));
		const theirs = DELIVERIES.find(({ body }) => isIt(body));
		expect(namesIn(ours?.text ?? '')).toEqual(namesIn(theirs?.body ?? ''));
		expect(ours?.headers).toMatchObject({
			'content-type': theirs?.headers['content-type'],
			'x-hook-id': expect.any(String),
			'x-account-id': pbx.account.id,
		});
	});

	test.each([
		['GET', {}],
		['POST', { method: 'POST' }],
		['POST', { method: 'POST', req_body_format: 'json' }],
	])('in a routing request by %s, with %j', async (method, more) => {
		const voice_url = `http://${pbx.receiver.host}/pv?callflow_id=abc`;
		const data = { method: 'GET', req_format: 'kazoo', voice_url, ...more };
		pbx.putFlow('12125550111', { module: 'pivot', data, children: {} });
		await pbx.call({ to: '12125550111' });
		const isJson = 'req_body_format' in more;
		const [ours] = pbx.receiver.received.filter(({ url }) => url.startsWith('/pv'));
		const theirs = QUESTIONS.find(
			(one) => one.method === method && one.body.startsWith('{') === isJson,
		);
		if (!ours || !theirs) throw new Error('Nothing was asked');
		const queryOf = (url: string) => url.replace(/^[^?]*\??(callflow_id=abc&?)?/, '');
		expect(namesIn(queryOf(ours.url))).toEqual(namesIn(queryOf(theirs.url)));
		expect(ours.url.includes('&&&')).toBe(theirs.url.includes('&&&'));
		if (isJson) expect(shapeOf(ours.body)).toEqual(shapeOf(JSON.parse(theirs.body)));
		else expect(namesIn(ours.text)).toEqual(namesIn(theirs.body));
	});
});
