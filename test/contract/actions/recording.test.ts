import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { IBinaryData, IDataObject, INodeParameters } from 'n8n-workflow';

import { simplifyCdr } from '../../../nodes/VirtualPbx/calls/record';
import { Cdr } from '../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import type { NodeInput } from '../../support/core';
import { credentialOf, operate } from '../../support/operate';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { Script, ScriptedAnswer, ScriptedPbx } from '../../support/scriptedPbx';

const SOUND = `RIFF${'sound'.repeat(5000)}`;
const MP3 = { 'content-type': 'audio/mpeg' };
const found = { body: SOUND, headers: MP3 };
const to = (location: string, status = 302) => ({ status, headers: { location } });

const servers: ScriptedPbx[] = [];
const start = async (script: Script) => {
	const server = await startScriptedPbx(script);
	servers.push(server);
	return server;
};
afterEach(async () => {
	await Promise.all(servers.splice(0).map(async (server) => await server.close()));
});

/** A PBX that answers for paths below /rec/ as told, and its node. */
async function pbxWith(
	answer: ScriptedAnswer | ((count: number, path: string) => ScriptedAnswer | undefined) = found,
	recordingHosts = '',
) {
	let count = 0;
	const pbx = await start(({ path }) => {
		if (!path.startsWith('/rec')) return undefined;
		return typeof answer === 'function' ? answer(++count, path) : answer;
	});
	const credential = await credentialOf(pbx, { recordingHosts });
	const download = async (parameters: INodeParameters = {}, more: Partial<NodeInput> = {}) => {
		const all = { source: 'url', recordingUrl: `${pbx.url}/rec/a.mp3`, ...parameters };
		const run = await operate(credential, 'recording:download', all, more);
		const binary = run.output[0]?.[0]?.binary ?? {};
		const file = Object.values(binary)[0] as IBinaryData | undefined;
		const bytes = file && Buffer.from(file.data, 'base64').toString();
		return { ...run, fields: Object.keys(binary), file, bytes, message: run.error?.message };
	};
	return { pbx, download };
}
const tokens = (pbx: ScriptedPbx) =>
	pbx.requests
		.filter(({ path }) => path.startsWith('/rec'))
		.map(({ headers }) => headers['x-auth-token']);

describe('a recording', () => {
	it('is downloaded with the token, named by REC_FILE and typed by the answer (§2.4, §5.4)', async () => {
		const { pbx, download } = await pbxWith();
		const { file, bytes } = await download();
		expect(bytes).toBe(SOUND);
		const expected = { fileName: 'a.mp3', fileExtension: 'mp3', fileType: 'audio' };
		expect(file).toMatchObject({ ...expected, mimeType: 'audio/mpeg' });
		expect(tokens(pbx)).toEqual(['token-1']);
	});

	it('is typed by its beginning, which can arrive byte by byte, if the answer has no type', async () => {
		const sound = `OggS\0\x02${'sound'.repeat(100)}`;
		const raw = (response: ServerResponse) => {
			response.writeHead(200, { 'content-length': sound.length }).write(sound.slice(0, 1));
			setTimeout(() => response.end(sound.slice(1)), 50);
		};
		const { pbx, download } = await pbxWith({ raw });
		const { file, bytes } = await download({ recordingUrl: `${pbx.url}/rec/c1@10.0.0.1` });
		expect([bytes, file]).toMatchObject([sound, { mimeType: 'audio/ogg', fileType: 'audio' }]);
	});

	const link = { recordingUrl: '{url}/rec/a.mp3' };
	it.each<[string, IDataObject]>([
		['raw record', { REC_LINK: '{url}/rec/', REC_FILE: 'a.mp3' }],
		['simplified record', { ...link, details: { recordingFile: 'a.mp3' } }],
		[
			'simplified call',
			{ ...link, details: { recordings: [{ ...link, recordingFile: 'a.mp3' }] } },
		],
	])('is found in an input item that is a %s', async (_, item) => {
		const { pbx, download } = await pbxWith();
		const json = JSON.parse(JSON.stringify(item).replaceAll('{url}', pbx.url)) as IDataObject;
		const from = { source: 'item', binaryPropertyName: 'rec' };
		const { bytes, fields, items } = await download(from, { items: [json] });
		expect([bytes, fields, items]).toEqual([SOUND, ['rec'], [json]]);
		expect(pbx.seen('GET', '/rec/a.mp3')).toHaveLength(1);
	});

	it('is found by the recordingUrl that this package gives, and named by it', async () => {
		const { pbx, download } = await pbxWith();
		const record = { REC_LINK: `${pbx.url}/rec/`, REC_FILE: 'a #1.mp3' };
		const { recordingUrl } = simplifyCdr(new Cdr(record)) as { recordingUrl: string };
		const { bytes, file } = await download({ recordingUrl });
		expect([bytes, file?.fileName]).toEqual([SOUND, 'a #1.mp3']);
		expect(tokens(pbx)).toHaveLength(1);
	});

	it('is found by Bridge-ID, once for both legs', async () => {
		const leg = (id: string) => ({
			...{ BRIDGE_ID: id, TIMESTAMP: '63962395200' },
			...{ REC_LINK: `${pbx.url}/rec/`, REC_FILE: `${id}.mp3` },
		});
		const pbx = await start(({ path }) => {
			if (path.endsWith('/cdrs')) return { body: { data: [leg('c1'), leg('c1'), leg('c2')] } };
			return path.startsWith('/rec') ? found : undefined;
		});
		const parameters = { source: 'call', callId: 'c1' };
		const run = await operate(await credentialOf(pbx), 'recording:download', parameters);

		expect(run.items).toMatchObject([{ callId: 'c1', details: { recordingFile: 'c1.mp3' } }]);
		const search = Object.fromEntries(pbx.seen('GET', '/cdrs')[0]?.query ?? []);
		expect(search).toMatchObject({ filter_bridge_id: 'c1' });
		expect(Number(search.created_to) - Number(search.created_from)).toBe(86_400);
	});
});

describe('the token', () => {
	it('goes to a listed recording host', async () => {
		const records = await start(() => found);
		const { download } = await pbxWith({}, new URL(records.url).host);
		expect((await download({ recordingUrl: `${records.url}/rec/a.mp3` })).bytes).toBe(SOUND);
		expect(tokens(records)).toEqual(['token-1']);
	});

	it('does not follow a redirect to another host, and does not come back', async () => {
		const store = await start(({ path }) =>
			path === '/rec/back' ? to(`${pbx.url}/rec/end.mp3`) : { body: SOUND },
		);
		const { pbx, download } = await pbxWith((_, path) => {
			if (path === '/rec/a.mp3') return to('/rec/b.mp3');
			return path === '/rec/b.mp3' ? to(`${store.url}/rec/back`, 307) : found;
		});
		expect((await download()).bytes).toBe(SOUND);
		expect(tokens(pbx)).toEqual(['token-1', 'token-1', undefined]);
		expect(tokens(store)).toEqual([undefined]);
	});

	it.each([401, 403])(
		'is not renewed if the host of a redirect responds %i, which the error names',
		async (status) => {
			const store = await start(() => ({ status, body: { message: 'no token' } }));
			const { pbx, download } = await pbxWith(to(`${store.url}/rec/a.mp3`));
			const { message, error } = await download();
			expect(message).toBe(
				`The PBX redirects the recording to ${store.url}, which responded ${status}. That is neither the host of the Base URL (${pbx.url}) nor one of the Recording Hosts, so the token wasn't sent there`,
			);
			expect(error?.description).toContain("add it to 'Recording Hosts'");
			expect(pbx.seen('PUT', '/user_auth')).toHaveLength(1);
		},
	);

	it('is not spent on endless redirects', async () => {
		const { pbx, download } = await pbxWith((count) => to(`/rec/${count}`));
		expect((await download()).message).toContain('redirects the download more than 5 times');
		expect(pbx.requests.length).toBeLessThan(10);
	});
});

describe('a recording that is not there', () => {
	it.each<[string, ScriptedAnswer]>([
		['404', { status: 404, body: { message: 'not found' } }],
		['425', { status: 425, body: 'Too Early' }],
		['204', { status: 204, raw: (response) => response.writeHead(204).end() }],
		['an empty file', { body: '', headers: MP3 }],
	])('fails at once on %s, or is waited for', async (_, answer) => {
		const { pbx, download } = await pbxWith((count) => (count < 3 ? answer : found));
		expect((await download()).message).toBeDefined();
		expect(tokens(pbx)).toHaveLength(1);
		expect((await download({ waitUntilAvailable: true })).bytes).toBe(SOUND);
		expect(tokens(pbx)).toHaveLength(3);
	});

	it('is waited for only as long as allowed', async () => {
		const { download } = await pbxWith({ status: 404, body: {} });
		const began = Date.now();
		const { message } = await download({ waitUntilAvailable: true, maxWaitSeconds: 2 });
		expect(message).toBe("The recording isn't there");
		expect(Date.now() - began).toBeLessThan(30_000);
	});
});

describe('a download that goes wrong', () => {
	it.each([
		['a web page', '<!DOCTYPE html><html>Please log in</html>', 'text/html'],
		['a message', '{"status":"error","message":"denied"}', 'application/json'],
		['a web page that claims to be sound', '\n<html>Please log in</html>', 'audio/mpeg'],
		['a message that claims to be sound', '{"status":"error"}', 'audio/mpeg'],
	])('is an error when it is %s', async (_, body, type) => {
		const { download } = await pbxWith({ body, headers: { 'content-type': type } });
		expect((await download()).message).toContain('instead of a recording');
	});

	it.each([
		['bytes 0-9/25004', 'The host of the recording returned only part of it'],
		['bytes 10-25003/25004', 'The host of the recording returned only part of it'],
		[`bytes 0-${SOUND.length - 1}/${SOUND.length}`, undefined],
	])('is an error when nobody asked for only a part: %s', async (range, words) => {
		const headers = { ...MP3, 'content-range': range };
		const { download } = await pbxWith({ status: 206, body: SOUND, headers });
		const { message, bytes } = await download();
		expect([message, bytes]).toEqual([words, words ? undefined : SOUND]);
	});

	it('tells the words of the PBX', async () => {
		const { download } = await pbxWith({ status: 403, body: { message: 'no right to listen' } });
		const { message, error } = await download();
		expect(message).toBe(
			"The recording couldn't be downloaded: the PBX doesn't allow this user to do that",
		);
		expect(error?.description).toContain('The PBX says: "no right to listen".');
	});
});

describe('a recording that comes packed, though nobody asked for it', () => {
	const packed = (bytes: Buffer, encoding: string, end = bytes.length): ScriptedAnswer => ({
		raw: (response) => {
			const length = { 'content-length': String(bytes.length), 'content-encoding': encoding };
			response.writeHead(200, { ...MP3, ...length }).write(bytes.subarray(0, end));
			setTimeout(() => (end < bytes.length ? response.destroy() : response.end()), 30);
		},
	});

	it.each<[string, ScriptedAnswer]>([
		['gzip', packed(gzipSync(SOUND), 'gzip')],
		['br', packed(brotliCompressSync(SOUND), 'br')],
	])('is unpacked and whole: %s', async (_, answer) => {
		const { pbx, download } = await pbxWith(answer);
		expect((await download()).bytes).toBe(SOUND);
		expect(pbx.seen('GET', '/rec/a.mp3')[0]?.headers['accept-encoding']).toBe('identity');
	});

	it('is an error when it is cut off', async () => {
		const bytes = gzipSync(SOUND);
		const { download } = await pbxWith(packed(bytes, 'gzip', bytes.length - 20));
		expect((await download()).message).toContain('No response from the PBX');
	});
});
