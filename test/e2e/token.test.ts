import { jsonOf, makeNode } from '../../tools/n8n';
import { connect } from '../support/e2e';
import { actionNode, chainOf, errorOf, runChain } from '../support/e2e/chain';
import { loginAnswer, startScriptedPbx } from '../support/scriptedPbx';

it('an expired token costs one login for 60 reads rejected 40 ms apart, and the new one is stored', async () => {
	let valid = '';
	let logins = 0;
	let turn = 0;
	const n8n = await connect();
	const pbx = await startScriptedPbx(({ path, headers }) => {
		// A login ends the previous session.
		if (path.endsWith('/user_auth')) return loginAnswer((valid = `session-${++logins}`));
		if (headers['x-auth-token'] === valid) return { body: { data: [{ id: 'a' }] } };
		return { status: 401, body: {}, delayMs: 40 * (turn++ % 20) };
	});
	const credential = await n8n.createCredential('virtualPbxApi', 'PBX whose tokens end', {
		baseUrl: pbx.url,
		login: 'demo',
		password: 'secret-word',
		realm: 'r',
	});
	const run = async (name: string) => {
		const items = JSON.stringify(Array.from({ length: 60 }, (_, index) => ({ index })));
		const jsCode = `return ${items}.map((json) => ({ json }))`;
		const code = makeNode('Items', 'n8n-nodes-base.code', { jsCode }, { typeVersion: 2 });
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
