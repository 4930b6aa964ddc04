import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { IBinaryData, INodeParameters } from 'n8n-workflow';

import { forgetLogins } from '../../nodes/VirtualPbx/auth/exchange';
import { LOGIN } from '../../nodes/VirtualPbx/transport/sender';
import { SILENCE } from '../../nodes/VirtualPbx/transport/limits';
import { runNode, storeCredential } from '../support/core';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { Script, ScriptedPbx } from '../support/scriptedPbx';

const usual = { ...SILENCE };
let pbx: ScriptedPbx;

beforeEach(() => {
	forgetLogins();
	Object.assign(SILENCE, {
		answerMs: 600,
		onlyAnswerMs: 1200,
		pieceMs: 600,
		inAllMs: 1300,
		leastMs: 100,
	});
});
afterEach(async () => {
	Object.assign(SILENCE, usual);
	LOGIN.timeoutMs = 30_000;
	await pbx.close();
});

const JSON_TYPE = { 'content-type': 'application/json' };
const stalls = (
	status: number,
	beginning: string | Buffer,
	headers: Record<string, string> = JSON_TYPE,
) => ({
	raw: (response: ServerResponse) => void response.writeHead(status, headers).write(beginning),
});
const never = { raw: () => undefined };
const drips = (pieces: string[], everyMs: number, headers: Record<string, string> = JSON_TYPE) => ({
	raw: (response: ServerResponse) => {
		response.writeHead(200, headers);
		const left = [...pieces];
		const dripping = setInterval(() => {
			const piece = left.shift();
			if (piece !== undefined) return void response.write(piece);
			clearInterval(dripping);
			response.end();
		}, everyMs);
		response.on('close', () => clearInterval(dripping));
	},
});

async function run(parameters: INodeParameters, script: Script) {
	pbx = await startScriptedPbx(script);
	const login = { login: 'l', password: 'password-1', realm: 'r' };
	const credential = await storeCredential({ baseUrl: pbx.url, ...login });
	const began = Date.now();
	const outcome = await runNode({ type: 'virtualPbx', credential, parameters });
	return { ...outcome, ms: Date.now() - began };
}

const many = (resource: string): INodeParameters => ({
	resource,
	operation: 'getMany',
	returnAll: true,
});
const download = async (answer: ReturnType<Script>) =>
	await run(
		{
			resource: 'recording',
			operation: 'download',
			source: 'link',
			recLink: '/rec/',
			recFile: 'a.mp3',
		},
		({ path }) => (path.startsWith('/rec/') ? answer : undefined),
	);
const on =
	(end: string, answer: ReturnType<Script>): Script =>
	({ path }) =>
		path.endsWith(end) ? answer : undefined;

describe('a PBX that falls silent', () => {
	it('in the middle of a recording is tried again once, and then told', async () => {
		const { error } = await download(stalls(200, 'ID3 sound', { 'content-type': 'audio/mpeg' }));
		expect(error?.message).toContain('went silent before it was complete');
		expect(pbx.seen('GET', '/rec/a.mp3')).toHaveLength(2);
	});

	it('before the first byte of a recording is told', async () => {
		const headers = { 'content-type': 'audio/mpeg', 'content-length': '9' };
		const { error } = await download({
			raw: (response) => response.writeHead(200, headers).flushHeaders(),
		});
		expect(error?.message).toContain('went silent before it was complete');
	});

	it('in the middle of a packed recording is told', async () => {
		const headers = { 'content-type': 'audio/mpeg', 'content-encoding': 'gzip' };
		const { error } = await download(stalls(200, gzipSync('sound').subarray(0, 12), headers));
		expect(error?.message).toContain('went silent before it was complete');
	});

	it.each(['callflow', 'webhook'])('in the middle of a list is told: %s', async (resource) => {
		const { error } = await run(many(resource), on('s', stalls(200, '{"data":[{"id":"a"},')));
		expect(error?.message).toContain('went silent before it was complete');
		expect(pbx.seen('GET', `/${resource}s`)).toHaveLength(2);
	});

	it('in the middle of the call records is told', async () => {
		const { error } = await run(many('cdr'), on('/cdrs', stalls(200, '{"data":[')));
		expect(error?.message).toContain('went silent before it was complete');
	});

	it('in the middle of an error is told by its status', async () => {
		const script = on('/callflows', stalls(404, '{"message":'));
		const { error } = await run(many('callflow'), script);
		expect(error?.message).toMatch(/^Callflows could not be read/);
	});

	it('before an answer begins is tried again once, and then told', async () => {
		const { error, ms } = await run(many('callflow'), on('/callflows', never));
		expect(error?.message).toContain('did not answer in time');
		expect(pbx.seen('GET', '/callflows')).toHaveLength(2);
		expect(ms).toBeLessThan(10 * SILENCE.answerMs);
	});

	it('in the answer to a deletion is tried again once, and then told', async () => {
		const parameters = { resource: 'webhook', operation: 'delete', webhookId: 'w1' };
		const script: Script = ({ method }) => (method === 'DELETE' ? never : undefined);
		const { error } = await run(parameters, script);
		expect(error?.message).toContain('did not answer in time');
		expect(pbx.seen('DELETE', '/webhooks/w1')).toHaveLength(2);
	});

	it('at the login is told', async () => {
		LOGIN.timeoutMs = 300;
		Object.assign(SILENCE, { answerMs: 20_000, inAllMs: 30_000 });
		const { error } = await run(many('callflow'), on('/user_auth', never));
		expect(error?.message).toContain("Couldn't log in to the PBX");
		expect(pbx.seen('GET', '/callflows')).toEqual([]);
	});
});

describe('a PBX that is slow and steady', () => {
	it('gives its recording, however long that takes', async () => {
		const pieces = Array.from({ length: 30 }, () => 'sound');
		const answer = drips(pieces, 100, { 'content-type': 'audio/mpeg' });
		const { error, output, ms } = await download(answer);
		expect(error).toBeUndefined();
		const { data } = output[0]?.[0]?.binary?.data as IBinaryData;
		expect(Buffer.from(data, 'base64').toString()).toBe(pieces.join(''));
		expect(ms).toBeGreaterThan(SILENCE.inAllMs);
	});

	it('gives its list', async () => {
		const pieces = [
			'{"data":[',
			...Array.from({ length: 20 }, () => '{"id":"a"},'),
			'{"id":"b"}]}',
		];
		const { items, error } = await run(many('callflow'), on('/callflows', drips(pieces, 100)));
		expect(error).toBeUndefined();
		expect(items).toHaveLength(21);
	});

	it('does not go on dripping a list without an end', async () => {
		SILENCE.wholeMs = 800;
		const pieces = Array.from({ length: 500 }, () => ' ');
		const { error } = await run(many('callflow'), on('/callflows', drips(pieces, 50)));
		expect(error?.message).toContain('went silent before it was complete');
	});
});
