import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import type { IExecuteFunctions } from 'n8n-workflow';

import { openPbx } from '../../nodes/VirtualPbx/parameters/credential';
import type { Pbx, PbxOptions } from '../../nodes/VirtualPbx/pbx/client';
import type { PbxError } from '../../nodes/VirtualPbx/pbx/errors/pbxError';
import { LIMITS, TIMEOUTS } from '../../nodes/VirtualPbx/pbx/response';
import { makeNodeType, runNode } from '../support/core';
import { eventually } from '../support/eventually';
import { credentialOf, operate } from '../support/operate';
import { loginAnswer, startScriptedPbx } from '../support/scriptedPbx';
import type { Script, ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';

const usual = { limits: { ...LIMITS }, timeouts: { ...TIMEOUTS } };
const MIB = 2 ** 20;
/** Time after which a signal ends a request here, and by when it must be over, also on a busy machine. */
const SOON = 300;
const PROMPTLY = 15_000;

let server: ScriptedPbx;
/** The connections that the PBX of this test holds open and never finishes, and what it has sent, in bytes. */
let open = new Set<ServerResponse>();
let sent = 0;
beforeEach(() => {
	open = new Set();
	sent = 0;
});
afterEach(async () => {
	Object.assign(LIMITS, usual.limits);
	Object.assign(TIMEOUTS, usual.timeouts);
	await server.close();
});
/** The PBX notices a closed connection a moment later. */
const allClosed = async () => await eventually(() => expect(open.size).toBe(0));

const on =
	(end: string, answer: ScriptedAnswer): Script =>
	({ path }) =>
		path.includes(end) ? answer : undefined;

const JSON_TYPE = { 'content-type': 'application/json' };
const SOUND = { 'content-type': 'audio/mpeg' };

/** Answers that never end, whose connections are counted. */
const endless = (begin: (response: ServerResponse) => void): ScriptedAnswer => ({
	raw: (response) => {
		const own = open.add(response);
		response.on('close', () => own.delete(response));
		begin(response);
	},
});
const never = endless(() => undefined);
const stalls = (headers: Record<string, string>, beginning: string) =>
	endless((response) => void response.writeHead(200, headers).write(beginning));
/** Sends the same piece again and again, at intervals, or as fast as it's taken. */
const drips = (headers: object, beginning: string, piece = ' ', everyMs = 20, status = 200) =>
	endless((response) => {
		response.writeHead(status, { ...headers }).write(beginning);
		const drip = setInterval(() => response.write(piece), everyMs);
		response.on('close', () => clearInterval(drip));
	});
const pours = (headers: object, beginning: string, piece: string, status = 200) =>
	endless((response) => {
		response.writeHead(status, { ...headers }).write(beginning);
		const pour = () => {
			while (!response.destroyed) {
				sent += piece.length;
				if (!response.write(piece)) break;
			}
			if (!response.destroyed) response.once('drain', pour);
		};
		pour();
	});

interface Signals extends PbxOptions {
	/** As n8n cancels an execution. */
	cancel?: AbortSignal;
}
/** Does something with a PBX within a node of n8n; tells how long it took, and the message if it failed. */
async function runWithin<T>(
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

const LIST = '{"data":[{"id":"a"},';
const stallingList = on('/callflows', stalls(JSON_TYPE, LIST));
const stallingSound = on('/rec/', stalls(SOUND, 'ID3 sound'));
const headersAlone = endless((response) => response.writeHead(200, SOUND).flushHeaders());

const read = async (pbx: Pbx) => await pbx.send({ method: 'GET', path: ['callflows'] });
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
	['a request that is never answered', on('/callflows', never), read],
	['a request that waits for a login', on('/user_auth', never), read],
	['a login that hangs', on('/user_auth', never), login],
	['a list that stalls', stallingList, read],
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
		const { message, ms } = await runWithin(script, work, signals);
		expect(message).toBe(expected);
		expect(ms).toBeLessThan(PROMPTLY);
		// A login goes on for all who share it.
		if (!what.includes('login')) await allClosed();
	});

	it('the waiting between two tries, and for a file', async () => {
		const busy = { status: 503, headers: { 'retry-after': '19' }, body: {} };
		const script: Script = ({ path }) => {
			if (path.startsWith('/rec/')) return { status: 404, body: {} };
			return path.endsWith('/callflows') ? busy : undefined;
		};
		const both = async (pbx: Pbx) =>
			await Promise.allSettled([read(pbx), download(pbx, 'none', 60_000)]);
		expect((await runWithin(script, both, signals)).ms).toBeLessThan(PROMPTLY);
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
		const { value } = await runWithin(slow, twice, () => ({ deadline: AbortSignal.timeout(SOON) }));
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
				await runWithin(
					() => undefined,
					send,
					() => ({ signal }),
				)
			).message,
		).toBeUndefined();
		await server.close();
		const both = () => ({ signal, deadline: AbortSignal.timeout(SOON) });
		const { message, ms } = await runWithin(on('/webhooks', never), send, both);
		expect(message).toBeDefined();
		expect(ms).toBeLessThan(PROMPTLY);
	});
});

describe('a PBX that falls silent, where nothing else ends the waiting', () => {
	beforeEach(() => void Object.assign(TIMEOUTS, { login: 400, response: 400, idle: 400 }));
	it.each<[string, Script, Work, string, number]>([
		['before it answers', on('/callflows', never), read, "didn't respond in time", 2],
		['in a list', stallingList, read, 'went silent before it was complete', 2],
		['in a recording', stallingSound, download, 'went silent before it was complete', 2],
		['before a recording', on('/rec/', headersAlone), download, 'went silent before', 2],
		['at the login', on('/user_auth', never), read, "Couldn't log in to the PBX", 1],
		['in the login', on('/user_auth', stalls(JSON_TYPE, '{')), read, "didn't respond in time", 1],
	])('%s is tried again once at most, and then told', async (...given) => {
		const [, script, work, words, times] = given;
		expect((await runWithin(script, work)).message).toContain(words);
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
		expect((await runWithin(on('/callflows', steady), read)).message).toBeUndefined();
	});
});

describe('a PBX that sends without an end', () => {
	beforeEach(
		() =>
			void Object.assign(LIMITS, { listBytes: 4 * MIB, recordingBytes: 4 * MIB, listRows: 5000 }),
	);
	const ROW = JSON.stringify({ id: 'i'.repeat(32), name: 'n'.repeat(900) });
	const ROWS = `${ROW},`.repeat(64);
	const LONG = 'x'.repeat(65_536);
	const bomb: ScriptedAnswer = {
		raw: (response) => {
			const gzip = createGzip();
			gzip.pipe(response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }));
			gzip.write('{"data":[');
			for (let size = 0; size < 64 * MIB; size += ROWS.length) gzip.write(ROWS);
			gzip.end(`${ROW}]}`);
		},
	};
	/** A page of a list that never ends: its cursor always changes. */
	let pages = 0;
	const page =
		(rows: number, size = 10) =>
		(): ScriptedAnswer => ({
			body: {
				data: Array.from({ length: rows }, (_, n) => ({
					id: `${pages}-${n}`,
					name: 'n'.repeat(size),
				})),
				next_start_key: `key-${++pages}`,
			},
		});

	/** Lists callflows of such a PBX. With `limits`, the process has logged in before they count. */
	async function list(
		answer: ScriptedAnswer | (() => ScriptedAnswer),
		limits?: Partial<typeof TIMEOUTS>,
	) {
		const script = () => (typeof answer === 'function' ? answer() : answer);
		server = await startScriptedPbx(({ path }) =>
			path.endsWith('/callflows') ? script() : undefined,
		);
		const credential = await credentialOf(server);
		if (limits) await operate(credential, 'account:get');
		Object.assign(TIMEOUTS, limits);
		const result = await operate(credential, 'callflow:getMany', { returnAll: true });
		await allClosed();
		return { ...result, said: `${result.error?.message} ${result.error?.description}` };
	}

	const TOO_LARGE = "The PBX's response is larger than 4 MiB";
	it.each<[string, ScriptedAnswer | (() => ScriptedAnswer), string]>([
		['a list', pours(JSON_TYPE, '{"data":[', ROWS), TOO_LARGE],
		['spaces', pours(JSON_TYPE, ' ', ' '.repeat(65_536)), TOO_LARGE],
		['a compressed list', bomb, TOO_LARGE],
		['many pages', page(100), "The PBX's list has more than 5,000 entries"],
		['large pages', page(50, 20_000), "The PBX's list is larger than 4 MiB"],
		['an entry', pours(JSON_TYPE, '{"data":[{"id":"', LONG), 'is larger than 4 MiB'],
	])('is left after the limit, once, and the error says so: %s', async (what, answer, words) => {
		const { said, items } = await list(answer);
		expect(said).toContain(words);
		expect(said).toContain('a shorter time range');
		expect(items).toEqual([]);
		// Beyond the limit: what was under way.
		expect(sent).toBeLessThan(24 * MIB);
		if (!what.includes('pages')) expect(server.seen('GET', '/callflows')).toHaveLength(1);
	});

	it('is left after the time, even if something always arrives', async () => {
		const { said } = await list(drips(JSON_TYPE, '{"data":['), { body: 400 });
		expect(said).toContain("The PBX's response didn't end within 1 minutes");
		expect(server.seen('GET', '/callflows')).toHaveLength(1);
	});

	it('is left in an error, too, however it is sent', async () => {
		const words = "Callflows couldn't be read: the PBX doesn't accept the values";
		const begin = [JSON_TYPE, '{"message":"no'] as const;
		expect((await list(pours(...begin, LONG, 400), {})).said).toContain(words);
		await server.close();
		expect((await list(drips(...begin, 'x', 20, 400), { login: 1000 })).said).toContain(words);
	});

	it.each<[string, ScriptedAnswer, RegExp]>([
		['fast', pours(JSON_TYPE, '{"data":"', LONG), /isn't from a PBX API/],
		['slowly', drips(JSON_TYPE, '{"data":"', 'x'), /didn't respond in time/],
	])('is left in a login, too: %s', async (how, answer, words) => {
		if (how === 'slowly') TIMEOUTS.login = 1000;
		server = await startScriptedPbx(on('/user_auth', answer));
		const { error } = await operate(await credentialOf(server), 'callflow:getMany');
		expect(`${error?.message} ${error?.description}`).toMatch(words);
		await allClosed();
	});

	it.each<[string, ScriptedAnswer, string]>([
		['fast', pours(SOUND, 'ID3', LONG), 'is larger than 4 MiB'],
		['slowly', drips(SOUND, `ID3${LONG}`, 's'), "didn't end within 1 minutes"],
	])('is left in a recording, without a second download: %s', async (how, answer, words) => {
		if (how === 'slowly') TIMEOUTS.recording = 400;
		server = await startScriptedPbx(on('/rec/', answer));
		const parameters = { source: 'url', recordingUrl: `${server.url}/rec/a.mp3` };
		const credential = await credentialOf(server);
		const { error, items } = await operate(credential, 'recording:download', parameters);
		expect(error?.message).toContain(`The PBX's recording ${words}`);
		expect(error?.description).toContain("Check the recording's address");
		expect(items).toEqual([]);
		expect(server.seen('GET', '/rec/a.mp3')).toHaveLength(1);
		expect(sent).toBeLessThan(24 * MIB);
	});

	it('is read to the end just below the limit', async () => {
		const rows = Array.from({ length: 4000 }, (_, n) => ({ id: `i${n}`, name: 'n'.repeat(900) }));
		const { items, error } = await list({ body: { data: rows } });
		expect([error, items.length]).toEqual([undefined, 4000]);
	});
});
