import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { forgetLogins } from '../../nodes/VirtualPbx/pbx/session/login';
import { runNode, storeCredential } from '../support/core';
import { loginAnswer } from '../support/scriptedPbx';

const folder = mkdtempSync(path.join(tmpdir(), 'virtual-pbx-tls-'));
const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name));
const seen: Array<{ url: string; token: unknown }> = [];
let locations: Record<string, string> = {};
let url = '';

const server = () =>
	createServer(
		{ key: readFileSync(key ?? ''), cert: readFileSync(cert ?? '') },
		(request: IncomingMessage, response) => {
			const asked = request.url ?? '';
			if (asked.endsWith('/user_auth')) {
				response.writeHead(201, { 'content-type': 'application/json' });
				return void response.end(JSON.stringify(loginAnswer().body));
			}
			seen.push({ url: asked, token: request.headers['x-auth-token'] });
			const location = locations[asked];
			if (location) return void response.writeHead(302, { location }).end();
			response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('sound');
		},
	);
let running: ReturnType<typeof server>;

beforeAll(async () => {
	const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=pbx'];
	execFileSync('openssl', [...make, '-keyout', key ?? '', '-out', cert ?? ''], { stdio: 'ignore' });
	running = server();
	await new Promise<void>((resolve) => running.listen(0, '127.0.0.1', resolve));
	url = `https://127.0.0.1:${(running.address() as AddressInfo).port}`;
});
afterAll(() => {
	running.close();
	running.closeAllConnections();
	rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
	forgetLogins();
	seen.length = 0;
	locations = {};
});

async function download(REC_LINK: string) {
	const login = { login: 'l', password: 'password-1', realm: 'r', ignoreSslIssues: true };
	return await runNode({
		type: 'virtualPbx',
		credential: await storeCredential({ baseUrl: url, ...login }),
		parameters: { resource: 'recording', operation: 'download', source: 'item' },
		items: [{ REC_LINK, REC_FILE: 'a.mp3' }],
	});
}

describe('a recording of a PBX with https', () => {
	it.each(['http://127.0.0.1/rec/', 'http://127.0.0.1:80/rec/', 'http://127.0.0.1/rec'])(
		'is fetched over https where its link says http: %s',
		async (link) => {
			expect((await download(link)).error).toBeUndefined();
			expect(seen.every(({ token }) => token === 'token-1')).toBe(true);
		},
	);

	it('stays with https where a redirect leads to http on the same host', async () => {
		locations = { '/rec/a.mp3': 'http://127.0.0.1/rec/b.mp3' };
		expect((await download(`${url}/rec/`)).error).toBeUndefined();
		expect(seen.map(({ url: asked }) => asked)).toEqual(['/rec/a.mp3', '/rec/b.mp3']);
	});

	it.each([
		['another port', 'http://127.0.0.1:8080/rec/', 'http://127.0.0.1:8080'],
		['another host', 'http://localhost/rec/', 'http://localhost'],
	])('is refused at %s, with scheme and port of both sides', async (_, link, origin) => {
		const { error } = await download(link);
		expect(error?.message).toContain(`The recording is on ${origin}, which is neither`);
		expect(error?.message).toContain(`(${url})`);
		expect(seen).toEqual([]);
	});
});
