import type { ServerResponse } from 'node:http';
import type { IExecuteFunctions } from 'n8n-workflow';

import { openPbx } from '../../nodes/VirtualPbx/parameters/credential';
import type { Pbx, PbxOptions } from '../../nodes/VirtualPbx/pbx/client';
import type { PbxError } from '../../nodes/VirtualPbx/pbx/errors/pbxError';
import { TIMEOUTS } from '../../nodes/VirtualPbx/pbx/response';
import { makeNodeType, runNode } from '../support/core';
import { eventually } from '../support/eventually';
import { credentialOf } from '../support/operate';
import { loginAnswer, startScriptedPbx } from '../support/scriptedPbx';
import type { Script, ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';

const usual = { ...TIMEOUTS };
/** Time after which a signal ends a request here, and by when it must be over, also on a busy machine. */
const SOON = 300;
const PROMPTLY = 15_000;

let server: ScriptedPbx;
/** The connections that the PBX of this test holds open and never finishes. */
let open = new Set<ServerResponse>();
beforeEach(() => void (open = new Set()));
afterEach(async () => {
	Object.assign(TIMEOUTS, usual);
	await server.close();
});

/** Does something with a PBX within a node of n8n; tells how long it took. */
async function withPbx<T>(
	script: Script,
	options: () => PbxOptions,
	work: (pbx: Pbx) => Promise<T>,
	cancel?: AbortSignal,
): Promise<{ value: T; ms: number }> {
	server = await startScriptedPbx(script);
	const credential = await credentialOf(server);
	let value: { value: T; ms: number } | undefined;
	const node = makeNodeType('test.worker', {
		description: { credentials: [{ name: 'virtualPbxApi', required: true }] },
		async execute(this: IExecuteFunctions) {
			if (cancel) this.getExecutionCancelSignal = () => cancel;
			const pbx = await openPbx(this, options());
			const began = Date.now();
			value = { value: await work(pbx), ms: Date.now() - began };
			return [[]];
		},
	});
	const types = { 'test.worker': node };
	const { error } = await runNode({ type: 'test.worker', types, credential });
	if (error) throw error;
	if (value === undefined) throw new Error('The node did not run');
	return value;
}

const on =
	(end: string, answer: ScriptedAnswer): Script =>
	({ path }) =>
		path.includes(end) ? answer : undefined;

/** Answers that never end, whose connections are counted. */
const endless = (begin: (response: ServerResponse) => void): ScriptedAnswer => ({
	raw: (response) => {
		const own = open.add(response);
		response.on('close', () => own.delete(response));
		begin(response);
	},
});
const JSON_TYPE = { 'content-type': 'application/json' };
const never = endless(() => undefined);
const stalls = (headers: Record<string, string>, beginning: string | Buffer) =>
	endless((response) => void response.writeHead(200, headers).write(beginning));
const drips = (headers: Record<string, string>, beginning: string) =>
	endless((response) => {
		response.writeHead(200, headers).write(beginning);
		const drip = setInterval(() => response.write(' '), 20);
		response.on('close', () => clearInterval(drip));
	});
const LIST = '{"data":[{"id":"a"},';
const stallingList = on('/callflows', stalls(JSON_TYPE, LIST));
const SOUND = { 'content-type': 'audio/mpeg' };
const stallingSound = on('/rec/', stalls(SOUND, 'ID3 sound'));
const headersAlone = endless((response) => response.writeHead(200, SOUND).flushHeaders());

const failure = (error: unknown) => error as PbxError;
const list = async (pbx: Pbx) => await pbx.send({ method: 'GET', path: ['callflows'] });
const login = async (pbx: Pbx) => await pbx.account.get();
const download = async (pbx: Pbx, name = 'a.mp3', waitMs = 0) =>
	await pbx.recordings.download({ address: `/rec/${name}`, waitMs }, async ({ stream }) => {
		for await (const piece of stream) void piece;
		return 'whole';
	});

const OUT_OF_TIME = 'No response from the PBX within the time limit';
const CANCELED = 'The execution was canceled';
const messageOf = async (result: Promise<unknown>) =>
	await result.then(
		() => 'ok',
		(error: Error) => error.message,
	);

type Work = (pbx: Pbx) => Promise<unknown>;
const ENDLESS: Array<[string, Script, Work]> = [
	['a request that is never answered', on('/callflows', never), list],
	['a request that waits for a login', on('/user_auth', never), list],
	['a login that hangs', on('/user_auth', never), login],
	['a list that stalls', stallingList, list],
	['a download that is never answered', on('/rec/', never), download],
	['a download that stalls', stallingSound, download],
	['a download that drips', on('/rec/', drips(SOUND, 'ID3 sound')), download],
];

/** The PBX notices a closed connection a moment later; a login goes on for all who share it. */
const allClosed = async () => await eventually(() => expect(open.size).toBe(0));

describe.each<[string, string, () => [PbxOptions, AbortSignal?]]>([
	['a deadline', OUT_OF_TIME, () => [{ deadline: AbortSignal.timeout(SOON) }]],
	['a signal that cancels', CANCELED, () => [{ signal: AbortSignal.timeout(SOON) }]],
	['a person who stops the execution', CANCELED, () => [{}, AbortSignal.timeout(SOON)]],
])('%s ends', (_, message, signals) => {
	it.each(ENDLESS)('%s, and its connection', async (what, script, work) => {
		const [options, cancel] = signals();
		const { value, ms } = await withPbx(
			script,
			() => options,
			async (pbx) => await messageOf(work(pbx)),
			cancel,
		);
		expect(value).toBe(message);
		expect(ms).toBeLessThan(PROMPTLY);
		if (!what.includes('login')) await allClosed();
	});

	it('the waiting between two tries, and for a file', async () => {
		const script: Script = ({ path }) => {
			if (path.startsWith('/rec/')) return { status: 404, body: {} };
			return path.endsWith('/callflows')
				? { status: 503, headers: { 'retry-after': '19' }, body: {} }
				: undefined;
		};
		const [options, cancel] = signals();
		const { ms } = await withPbx(
			script,
			() => options,
			async (pbx) => await Promise.allSettled([list(pbx), download(pbx, 'none', 60_000)]),
			cancel,
		);
		expect(ms).toBeLessThan(PROMPTLY);
	});
});

describe('after a deadline or a cancel', () => {
	it('nothing is sent, also where a login was waited for meanwhile', async () => {
		const slow = { ...loginAnswer(), delayMs: 400 };
		const { value } = await withPbx(
			on('/user_auth', slow),
			() => ({ deadline: AbortSignal.timeout(SOON) }),
			async (pbx) => {
				const put = { method: 'PUT', path: ['webhooks'], data: { name: 'x' } } as const;
				const first = await pbx.send(put).catch(failure);
				await new Promise((resolve) => setTimeout(resolve, 600));
				return [first, await pbx.send(put).catch(failure)];
			},
		);
		expect(value).toMatchObject([
			{ message: OUT_OF_TIME },
			{ message: OUT_OF_TIME, details: { notSent: true } },
		]);
		expect(server.seen('PUT', '/webhooks')).toEqual([]);
	});

	it('what undoes half a change is sent after a cancel, and not after a deadline', async () => {
		const undo = { method: 'DELETE', path: ['webhooks', 'w'], evenWhenCancelled: true } as const;
		const send = async (pbx: Pbx) =>
			await pbx.send(undo).then(
				() => true,
				() => false,
			);
		const cancelled = () => ({ signal: AbortSignal.abort() });
		expect((await withPbx(() => undefined, cancelled, send)).value).toBe(true);
		await server.close();
		const both = () => ({ ...cancelled(), deadline: AbortSignal.timeout(SOON) });
		const { value, ms } = await withPbx(on('/webhooks', never), both, send);
		expect(value).toBe(false);
		expect(ms).toBeLessThan(PROMPTLY);
	});
});

describe('a PBX that falls silent, where nothing else ends the waiting', () => {
	beforeEach(() => void Object.assign(TIMEOUTS, { login: 400, response: 400, idle: 400 }));
	const told = async (script: Script, work: Work) =>
		(
			await withPbx(
				script,
				() => ({}),
				async (pbx) => await messageOf(work(pbx)),
			)
		).value;

	it.each<[string, Script, Work, string, number]>([
		['before it answers', on('/callflows', never), list, "didn't respond in time", 2],
		['in a list', stallingList, list, 'went silent before it was complete', 2],
		['in a recording', stallingSound, download, 'went silent before it was complete', 2],
		['before a recording', on('/rec/', headersAlone), download, 'went silent before', 2],
		['at the login', on('/user_auth', never), list, "Couldn't log in to the PBX", 1],
		['in the login', on('/user_auth', stalls(JSON_TYPE, '{')), list, "didn't respond in time", 1],
	])('%s is tried again once at most, and then told', async (...given) => {
		const [, script, work, words, times] = given;
		expect(await told(script, work)).toContain(words);
		expect(server.requests.filter((request) => script(request))).toHaveLength(times);
	});

	it('is waited for as long as pieces come', async () => {
		const pieces = ['{"data":[', ...Array<string>(12).fill('{"id":"a"},'), '{"id":"b"}]}'];
		const steady: ScriptedAnswer = {
			raw: (response) => {
				response.writeHead(200, JSON_TYPE);
				const left = [...pieces];
				const drip = setInterval(() => {
					response.write(left.shift() ?? '');
					if (left.length > 0) return;
					clearInterval(drip);
					response.end();
				}, 60);
			},
		};
		expect(await told(on('/callflows', steady), list)).toBe('ok');
	});
});
