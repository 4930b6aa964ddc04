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

interface Signals extends PbxOptions {
	/** As n8n cancels an execution. */
	cancel?: AbortSignal;
}
/** Does something with a PBX within a node of n8n; tells how long it took, and the message if it failed. */
async function run<T>(
	script: Script,
	work: (pbx: Pbx) => Promise<T>,
	signals = (): Signals => ({}),
) {
	server = await startScriptedPbx(script);
	const result: { value?: T; message?: string; ms: number } = { ms: 0 };
	const node = makeNodeType('test.worker', {
		description: { credentials: [{ name: 'virtualPbxApi', required: true }] },
		async execute(this: IExecuteFunctions) {
			const { cancel, ...options } = signals();
			if (cancel) this.getExecutionCancelSignal = () => cancel;
			const pbx = await openPbx(this, options);
			const began = Date.now();
			await work(pbx).then(
				(value) => (result.value = value),
				({ message }: Error) => (result.message = message),
			);
			result.ms = Date.now() - began;
			return [[]];
		},
	});
	const types = { 'test.worker': node };
	const credential = await credentialOf(server);
	const { error } = await runNode({ type: 'test.worker', types, credential });
	if (error) throw error;
	return result;
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

const list = async (pbx: Pbx) => await pbx.send({ method: 'GET', path: ['callflows'] });
const login = async (pbx: Pbx) => await pbx.account.get();
const download = async (pbx: Pbx, name = 'a.mp3', waitMs = 0) =>
	await pbx.recordings.download({ address: `/rec/${name}`, waitMs }, async ({ stream }) => {
		for await (const piece of stream) void piece;
		return 'whole';
	});

const OUT_OF_TIME = 'No response from the PBX within the time limit';
const CANCELED = 'The execution was canceled';

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

describe.each<[string, string, () => Signals]>([
	['a deadline', OUT_OF_TIME, () => ({ deadline: AbortSignal.timeout(SOON) })],
	['a signal that cancels', CANCELED, () => ({ signal: AbortSignal.timeout(SOON) })],
	['a person who stops the execution', CANCELED, () => ({ cancel: AbortSignal.timeout(SOON) })],
])('%s ends', (_, expected, signals) => {
	it.each(ENDLESS)('%s, and its connection', async (what, script, work) => {
		const { message, ms } = await run(script, work, signals);
		expect(message).toBe(expected);
		expect(ms).toBeLessThan(PROMPTLY);
		// The PBX notices a closed connection a moment later; a login goes on for all who share it.
		if (!what.includes('login')) await eventually(() => expect(open.size).toBe(0));
	});

	it('the waiting between two tries, and for a file', async () => {
		const busy = { status: 503, headers: { 'retry-after': '19' }, body: {} };
		const script: Script = ({ path }) => {
			if (path.startsWith('/rec/')) return { status: 404, body: {} };
			return path.endsWith('/callflows') ? busy : undefined;
		};
		const both = async (pbx: Pbx) =>
			await Promise.allSettled([list(pbx), download(pbx, 'none', 60_000)]);
		expect((await run(script, both, signals)).ms).toBeLessThan(PROMPTLY);
	});
});

describe('after a deadline or a cancel', () => {
	it('nothing is sent, also where a login was waited for meanwhile', async () => {
		const put = { method: 'PUT', path: ['webhooks'], data: { name: 'x' } } as const;
		const twice = async (pbx: Pbx) => {
			const first = await pbx.send(put).catch((error: PbxError) => error);
			await new Promise((resolve) => setTimeout(resolve, 600));
			return [first, await pbx.send(put).catch((error: PbxError) => error)];
		};
		const slow = on('/user_auth', { ...loginAnswer(), delayMs: 400 });
		const { value } = await run(slow, twice, () => ({ deadline: AbortSignal.timeout(SOON) }));
		expect(value).toMatchObject([
			{ message: OUT_OF_TIME },
			{ message: OUT_OF_TIME, details: { notSent: true } },
		]);
		expect(server.seen('PUT', '/webhooks')).toEqual([]);
	});

	it('what undoes half a change is sent after a cancel, and not after a deadline', async () => {
		const undo = { method: 'DELETE', path: ['webhooks', 'w'], evenWhenCancelled: true } as const;
		const send = async (pbx: Pbx) => await pbx.send(undo);
		const signal = AbortSignal.abort();
		expect(
			(
				await run(
					() => undefined,
					send,
					() => ({ signal }),
				)
			).message,
		).toBeUndefined();
		await server.close();
		const both = () => ({ signal, deadline: AbortSignal.timeout(SOON) });
		const { message, ms } = await run(on('/webhooks', never), send, both);
		expect(message).toBeDefined();
		expect(ms).toBeLessThan(PROMPTLY);
	});
});

describe('a PBX that falls silent, where nothing else ends the waiting', () => {
	beforeEach(() => void Object.assign(TIMEOUTS, { login: 400, response: 400, idle: 400 }));
	it.each<[string, Script, Work, string, number]>([
		['before it answers', on('/callflows', never), list, "didn't respond in time", 2],
		['in a list', stallingList, list, 'went silent before it was complete', 2],
		['in a recording', stallingSound, download, 'went silent before it was complete', 2],
		['before a recording', on('/rec/', headersAlone), download, 'went silent before', 2],
		['at the login', on('/user_auth', never), list, "Couldn't log in to the PBX", 1],
		['in the login', on('/user_auth', stalls(JSON_TYPE, '{')), list, "didn't respond in time", 1],
	])('%s is tried again once at most, and then told', async (...given) => {
		const [, script, work, words, times] = given;
		expect((await run(script, work)).message).toContain(words);
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
		expect((await run(on('/callflows', steady), list)).message).toBeUndefined();
	});
});
