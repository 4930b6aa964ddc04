import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { IBinaryData, IDataObject, INodeParameters, NodeApiError } from 'n8n-workflow';

import { simplifyCdr } from '../../../nodes/VirtualPbx/calls/record';
import { Cdr } from '../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import type { NodeInput } from '../../support/core';
import { credentialOf, operate } from '../../support/operate';
import { startScriptedPbx } from '../../support/scriptedPbx';
import type { Script, ScriptedAnswer, ScriptedPbx } from '../../support/scriptedPbx';

const SOUND = `RIFF${'sound'.repeat(5000)}`;
const MP3 = { 'content-type': 'audio/mpeg' };

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
	answer: ScriptedAnswer | ((count: number, path: string) => ScriptedAnswer | undefined),
	recordingHosts = '',
) {
	let count = 0;
	const pbx = await start(({ path }) => {
		if (!path.startsWith('/rec')) return undefined;
		return typeof answer === 'function' ? answer(++count, path) : answer;
	});
	const credential = await credentialOf(pbx, { recordingHosts });
	const download = async (parameters: INodeParameters = {}, more: Partial<NodeInput> = {}) => {
		const link = { source: 'url', recordingUrl: `${pbx.url}/rec/a.mp3` };
		return await operate(credential, 'recording:download', { ...link, ...parameters }, more);
	};
	return { pbx, download };
}

const fileOf = (run: Awaited<ReturnType<typeof operate>>, field = 'data') => {
	if (run.error) throw run.error;
	return run.output[0]?.[0]?.binary?.[field] as IBinaryData;
};
const bytesOf = ({ data }: IBinaryData) => Buffer.from(data, 'base64').toString();
const tokens = (pbx: ScriptedPbx) =>
	pbx.requests
		.filter(({ path }) => path.startsWith('/rec'))
		.map(({ headers }) => headers['x-auth-token']);

describe('a recording', () => {
	it('is downloaded with the token, named by REC_FILE and typed by the answer (§2.4, §5.4)', async () => {
		const { pbx, download } = await pbxWith({ body: SOUND, headers: MP3 });
		const file = fileOf(await download());

		expect(bytesOf(file)).toBe(SOUND);
		expect(file).toMatchObject({
			fileName: 'a.mp3',
			mimeType: 'audio/mpeg',
			fileExtension: 'mp3',
			fileType: 'audio',
		});
		expect(tokens(pbx)).toEqual(['token-1']);
	});

	it('is typed by its beginning, which can arrive byte by byte, if the answer has no type', async () => {
		const sound = `OggS\0\x02${'sound'.repeat(100)}`;
		const raw = (response: ServerResponse) => {
			response.writeHead(200, { 'content-length': sound.length }).write(sound.slice(0, 1));
			setTimeout(() => response.end(sound.slice(1)), 50);
		};
		const { pbx, download } = await pbxWith({ raw });
		const file = fileOf(await download({ recordingUrl: `${pbx.url}/rec/c1@10.0.0.1` }));
		expect(bytesOf(file)).toBe(sound);
		expect(file).toMatchObject({ mimeType: 'audio/ogg', fileType: 'audio' });
	});

	it.each<[string, IDataObject]>([
		['raw record', { REC_LINK: '{url}/rec/', REC_FILE: 'a.mp3' }],
		['simplified record', { recordingUrl: '{url}/rec/a.mp3', details: { recordingFile: 'a.mp3' } }],
		[
			'simplified call',
			{
				recordingUrl: '{url}/rec/a.mp3',
				details: { recordings: [{ recordingUrl: '{url}/rec/a.mp3', recordingFile: 'a.mp3' }] },
			},
		],
	])('is found in an input item that is a %s', async (_, item) => {
		const { pbx, download } = await pbxWith({ body: SOUND, headers: MP3 });
		const json = JSON.parse(JSON.stringify(item).replaceAll('{url}', pbx.url)) as IDataObject;
		const run = await download({ source: 'item', binaryPropertyName: 'rec' }, { items: [json] });

		expect(bytesOf(fileOf(run, 'rec'))).toBe(SOUND);
		expect(run.items).toEqual([json]);
		expect(pbx.seen('GET', '/rec/a.mp3')).toHaveLength(1);
	});

	it('is found by the recordingUrl that this package gives, and named by it', async () => {
		const { pbx, download } = await pbxWith({ body: SOUND, headers: MP3 });
		const record = { REC_LINK: `${pbx.url}/rec/`, REC_FILE: 'a #1.mp3' };
		const { recordingUrl } = simplifyCdr(new Cdr(record)) as { recordingUrl: string };
		const run = await download({ recordingUrl });

		expect(bytesOf(fileOf(run))).toBe(SOUND);
		expect(fileOf(run).fileName).toBe('a #1.mp3');
		expect(pbx.requests.filter(({ path }) => path.startsWith('/rec'))).toHaveLength(1);
	});

	it('is found by Bridge-ID, once for both legs', async () => {
		let url = '';
		const leg = (id: string) => ({
			BRIDGE_ID: id,
			TIMESTAMP: '63962395200',
			REC_LINK: `${url}/rec/`,
			REC_FILE: `${id}.mp3`,
		});
		const pbx = await start(({ path }) => {
			if (path.endsWith('/cdrs')) return { body: { data: [leg('c1'), leg('c1'), leg('c2')] } };
			return path.startsWith('/rec') ? { body: SOUND, headers: MP3 } : undefined;
		});
		url = pbx.url;
		const parameters = { source: 'call', callId: 'c1' };
		const run = await operate(await credentialOf(pbx), 'recording:download', parameters);

		expect(run.items).toMatchObject([{ callId: 'c1', details: { recordingFile: 'c1.mp3' } }]);
		const [search] = pbx.seen('GET', '/cdrs');
		expect(search?.query.get('filter_bridge_id')).toBe('c1');
		expect(
			Number(search?.query.get('created_to')) - Number(search?.query.get('created_from')),
		).toBe(86_400);
	});
});

describe('the token', () => {
	it('goes to a listed recording host', async () => {
		const records = await start(() => ({ body: SOUND, headers: MP3 }));
		const { download } = await pbxWith({}, new URL(records.url).host);
		expect(bytesOf(fileOf(await download({ recordingUrl: `${records.url}/rec/a.mp3` })))).toBe(
			SOUND,
		);
		expect(tokens(records)).toEqual(['token-1']);
	});

	it('does not follow a redirect to another host, and does not come back', async () => {
		let home = '';
		const store = await start(({ path }) =>
			path === '/rec/back'
				? { status: 302, headers: { location: `${home}/rec/end.mp3` } }
				: { body: SOUND },
		);
		const { pbx, download } = await pbxWith((_, path) => {
			if (path === '/rec/a.mp3') return { status: 302, headers: { location: '/rec/b.mp3' } };
			if (path === '/rec/b.mp3')
				return { status: 307, headers: { location: `${store.url}/rec/back` } };
			return { body: SOUND, headers: MP3 };
		});
		home = pbx.url;
		expect(bytesOf(fileOf(await download()))).toBe(SOUND);
		expect(tokens(pbx)).toEqual(['token-1', 'token-1', undefined]);
		expect(tokens(store)).toEqual([undefined]);
	});

	it.each([401, 403])(
		'is not renewed if the host of a redirect responds %i, which the error names',
		async (status) => {
			const store = await start(() => ({ status, body: { message: 'no token' } }));
			const location = `${store.url}/rec/a.mp3`;
			const { pbx, download } = await pbxWith({ status: 302, headers: { location } });
			const { error } = await download();
			expect(error?.message).toBe(
				`The PBX redirects the recording to ${store.url}, which responded ${status}. That is neither the host of the Base URL (${pbx.url}) nor one of the Recording Hosts, so the token wasn't sent there`,
			);
			expect((error as NodeApiError).description).toContain("add it to 'Recording Hosts'");
			expect(pbx.seen('PUT', '/user_auth')).toHaveLength(1);
		},
	);

	it('is not called missing at a foreign host if redirects come back to the PBX', async () => {
		let home = '';
		const store = await start(() => ({ status: 302, headers: { location: `${home}/rec/end` } }));
		const { pbx, download } = await pbxWith((_, path) =>
			path === '/rec/end'
				? { status: 403 }
				: { status: 302, headers: { location: `${store.url}/rec/a.mp3` } },
		);
		home = pbx.url;
		expect((await download()).error?.message).toContain("couldn't be downloaded");
	});

	it('is not spent on endless redirects', async () => {
		const { pbx, download } = await pbxWith((count) => ({
			status: 302,
			headers: { location: `/rec/${count}` },
		}));
		expect((await download()).error?.message).toContain('redirects the download more than 5 times');
		expect(pbx.requests.length).toBeLessThan(10);
	});
});

describe('a recording that is not there', () => {
	const missing: Array<[string, ScriptedAnswer]> = [
		['404', { status: 404, body: { message: 'not found' } }],
		['425', { status: 425, body: 'Too Early' }],
		['204', { status: 204, raw: (response) => response.writeHead(204).end() }],
		['an empty file', { body: '', headers: MP3 }],
	];
	it.each(missing)('fails at once on %s', async (_, answer) => {
		const { pbx, download } = await pbxWith(answer);
		expect((await download()).error?.message).toBeDefined();
		expect(tokens(pbx)).toHaveLength(1);
	});

	it.each(missing)('is waited for on %s', async (_, answer) => {
		const { download } = await pbxWith((count) =>
			count < 2 ? answer : { body: SOUND, headers: MP3 },
		);
		expect(bytesOf(fileOf(await download({ waitUntilAvailable: true })))).toBe(SOUND);
	});

	it('is waited for only as long as allowed', async () => {
		const { download } = await pbxWith({ status: 404, body: {} });
		const began = Date.now();
		const { error } = await download({ waitUntilAvailable: true, maxWaitSeconds: 2 });
		expect(error?.message).toBe("The recording isn't there");
		expect(Date.now() - began).toBeLessThan(30_000);
	});

	it.each([
		['an item without one', { source: 'item' }, 'This item has no recording'],
		['an empty URL', { recordingUrl: '={{ "" }}' }, "'Recording URL' is empty"],
		['a file name alone', { recordingUrl: 'a.mp3' }, "'Recording URL' isn't a web address: a.mp3"],
		['no binary field', { binaryPropertyName: ' ' }, "'Put Output File in Field' is empty"],
		[
			'no time to wait',
			{ waitUntilAvailable: true, maxWaitSeconds: 0 },
			"'Max Wait (Seconds)' must be",
		],
	])('is told of %s before anything is sent', async (_, parameters, words) => {
		const { pbx, download } = await pbxWith({ body: SOUND });
		expect((await download(parameters as INodeParameters)).error?.message).toContain(words);
		expect(pbx.requests).toEqual([]);
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
		expect((await download()).error?.message).toContain('instead of a recording');
	});

	it.each(['bytes 0-9/25004', 'bytes 10-25003/25004'])(
		'is an error when nobody asked for only a part: %s',
		async (range) => {
			const headers = { ...MP3, 'content-range': range };
			const part = { status: 206, body: SOUND.slice(0, 10), headers };
			const { pbx, download } = await pbxWith(part);
			expect((await download()).error?.message).toBe(
				'The host of the recording returned only part of it',
			);
			expect(pbx.seen('GET', '/rec/a.mp3').length).toBeGreaterThan(1);
		},
	);

	it('is none when a partial response has the whole file', async () => {
		const headers = { ...MP3, 'content-range': `bytes 0-${SOUND.length - 1}/${SOUND.length}` };
		const { download } = await pbxWith({ status: 206, body: SOUND, headers });
		expect(bytesOf(fileOf(await download()))).toBe(SOUND);
	});

	it('tells the words of the PBX', async () => {
		const { download } = await pbxWith({ status: 403, body: { message: 'no right to listen' } });
		const error = (await download()).error as NodeApiError;
		expect(error.message).toBe(
			"The recording couldn't be downloaded: the PBX doesn't allow this user to do that",
		);
		expect(error.description).toContain('The PBX says: "no right to listen".');
	});
});

describe('a recording that comes packed, though nobody asked for it', () => {
	const packed = (
		bytes: Buffer,
		encoding: string,
		send = (response: ServerResponse) => void response.end(bytes),
	): ScriptedAnswer => ({
		raw: (response) => {
			const length = { 'content-length': String(bytes.length) };
			send(response.writeHead(200, { ...MP3, ...length, 'content-encoding': encoding }));
		},
	});

	it.each<[string, ScriptedAnswer]>([
		['gzip', packed(gzipSync(SOUND), 'gzip')],
		['br', packed(brotliCompressSync(SOUND), 'br')],
	])('is unpacked and whole: %s', async (_, answer) => {
		const { pbx, download } = await pbxWith(answer);
		expect(bytesOf(fileOf(await download()))).toBe(SOUND);
		const [asked] = pbx.seen('GET', '/rec/a.mp3');
		expect(asked?.headers['accept-encoding']).toBe('identity');
	});

	it('is an error when it is cut off', async () => {
		const bytes = gzipSync(SOUND);
		const cutOff = packed(bytes, 'gzip', (response) => {
			response.write(bytes.subarray(0, bytes.length - 20));
			setTimeout(() => response.destroy(), 30);
		});
		const { download } = await pbxWith(cutOff);
		expect((await download()).error?.message).toContain('No response from the PBX');
	});
});
