import { makePoller, storeCredential } from '../support/core';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';

let pbx: ScriptedPbx;
afterEach(async () => await pbx.close());

describe('the record trigger on a PBX that answers without a list', () => {
	it.each<[string, ScriptedAnswer]>([
		['null', { body: { data: null } }],
		['an empty object', { body: { data: {} } }],
		['nothing', { raw: (response) => void response.writeHead(204).end() }],
		['an error', { body: { status: 'error', message: 'db down', data: [] } }],
	])(
		'stays where it was, and loses nothing: %s',
		async (_, broken) => {
			let answer: ScriptedAnswer = { body: { data: [], status: 'success' } };
			pbx = await startScriptedPbx(({ path }) => (path.endsWith('/cdrs') ? answer : undefined));
			const login = { login: 'demo', password: 'x', realm: 'r' };
			const poller = await makePoller({
				type: 'virtualPbxRecordTrigger',
				credential: await storeCredential({ baseUrl: pbx.url, ...login }),
				parameters: { event: 'newCallRecord' },
			});
			await poller.poll();

			answer = broken;
			await expect(poller.poll()).rejects.toThrow(/without a list|reports an error/);

			const TIMESTAMP = String(62_167_219_200 + Math.floor(Date.now() / 1000));
			answer = { body: { data: [{ BRIDGE_ID: 'a@b', TIMESTAMP }], status: 'success' } };
			expect(await poller.poll()).toHaveLength(1);
		},
		20_000,
	);
});
