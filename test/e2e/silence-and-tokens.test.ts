import type { ServerResponse } from 'node:http';

import { jsonOf } from '../../tools/n8n';
import type { N8nClient } from '../../tools/n8n';
import { connect } from '../support/e2e';
import { actionNode, chainOf, errorOf, runChain } from '../support/e2e/chain';
import { IS_RELEASE } from '../support/release';
import { loginAnswer, startScriptedPbx } from '../support/scriptedPbx';
import type { Script, ScriptedAnswer } from '../support/scriptedPbx';

jest.setTimeout(240_000);

describe('in a real n8n', () => {
	let n8n: N8nClient;
	beforeAll(async () => (n8n = await connect()));

	const given = async (script: Script) => {
		const pbx = await startScriptedPbx(script);
		const data = { baseUrl: pbx.url, login: 'demo', password: 'secret-word', realm: 'r' };
		const credential = await n8n.createCredential('virtualPbxApi', `PBX ${pbx.url}`, data);
		return { pbx, data, credential };
	};

	it.each<[string, ScriptedAnswer, string]>([
		['503', { status: 503, body: {} }, 'not available at the moment (503)'],
		['400', { status: 400, body: {} }, 'the PBX does not accept the values (400)'],
		[
			'a dropped connection',
			{ raw: (response: ServerResponse) => void response.destroy() },
			'dropped the connection',
		],
		['a web page with 200', { body: '<html>Welcome</html>' }, 'not from a PBX interface'],
	])('the test of a credential says in a sentence what is wrong: %s', async (_, answer, words) => {
		const { pbx, data, credential } = await given(({ path }) =>
			path.endsWith('/callflows') ? answer : undefined,
		);
		const { status, message } = await n8n.testCredential(credential, data);
		await pbx.close();
		expect({ status, message }).toEqual({
			status: 'Error',
			message: expect.stringContaining(words) as string,
		});
	});

	it('a token that has run out costs one login for 60 reads, refused 40 ms apart, and is stored', async () => {
		let valid = '';
		let logins = 0;
		let turn = 0;
		const { pbx, credential } = await given(({ path, headers }) => {
			// A login ends the session before.
			if (path.endsWith('/user_auth')) return loginAnswer((valid = `session-${++logins}`));
			if (headers['x-auth-token'] === valid) return { body: { data: [{ id: 'a' }] } };
			return { status: 401, body: {}, delayMs: 40 * (turn++ % 20) };
		});
		const run = async (name: string) => {
			const items = JSON.stringify(Array.from({ length: 60 }, (_, index) => ({ index })));
			const code = {
				name: 'Items',
				type: 'n8n-nodes-base.code',
				id: 'items',
				position: [0, 0] as [number, number],
				typeVersion: 2,
				parameters: { jsCode: `return ${items}.map((json) => ({ json }))` },
			};
			const list = actionNode(['List', 'callflow:getMany', { returnAll: true }], credential);
			const execution = await runChain(n8n, chainOf(name, [code, list]));
			expect(errorOf(execution)).toBeUndefined();
			return jsonOf(execution, 'List').length;
		};
		expect(await run('First')).toBe(60);
		valid = 'none';
		expect(await run('Expired')).toBe(60);
		expect(logins).toBe(2);
		expect(await run('After')).toBe(60);
		expect(logins).toBe(2);
		await pbx.close();
	});

	// Takes over two minutes: n8n runs the package as it is, with its own limits.
	if (IS_RELEASE)
		it('a recording that stalls ends within 130 s, with clear words', async () => {
			const { pbx, credential } = await given(({ path }) =>
				path.startsWith('/rec/')
					? {
							raw: (response) =>
								void response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('ID3'),
						}
					: undefined,
			);
			const link = { source: 'url', recordingUrl: `${pbx.url}/rec/a.mp3` };
			const node = actionNode(['Download', 'recording:download', link], credential);
			const began = Date.now();
			const execution = await runChain(n8n, chainOf('Stalled recording', [node]), 140_000);
			const seconds = (Date.now() - began) / 1000;
			console.log(`Ended after ${seconds} s: ${JSON.stringify(errorOf(execution))}`);
			expect(JSON.stringify(errorOf(execution))).toContain('went silent before it was complete');
			expect(seconds).toBeLessThan(130);
			await pbx.close();
		});
});
