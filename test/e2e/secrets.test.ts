import { createHash } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { TAG_NAME } from '../../nodes/VirtualPbx/pbx/events/delivery';
import { connect } from '../support/e2e';
import { actionNode, chainOf, errorOf, runChain } from '../support/e2e/chain';
import { noteLogin, noteSecret } from '../support/e2e/secrets';
import { ACCOUNT_ID, startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer } from '../support/scriptedPbx';

const LOGIN = { login: 'echo', password: 'Pa55-w0rd & more/ü', realm: 'echo.example' };
const PAIR = `${LOGIN.login}:${LOGIN.password}`;
const MD5 = createHash('md5').update(PAIR).digest('hex');
const BASIC = Buffer.from(PAIR).toString('base64');
const TOKEN = ['eyJhbGciOi', 'echo-token-4711', 'c2lnbmF0dXJl'].join('.');
const TAG = '5ec2e75ec2e75ec2.9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0';
const ALL = [LOGIN.password, encodeURIComponent(LOGIN.password), MD5, BASIC, TOKEN, TAG];

/** A PBX that repeats everything that it must not: in errors, in answers of success, and in its log of attempts. */
const words = `refused ${ALL.join(' and ')}, auth_token=${TOKEN}`;
const WEBHOOK = {
	id: 'w1',
	name: 'ours',
	uri: 'https://n8n.example/webhook/x',
	hook: 'channel_destroy',
	custom_data: { [TAG_NAME]: TAG },
};
const ATTEMPT = {
	hook_id: 'w1',
	result: 'failure',
	reason: words,
	req_headers: { 'X-Auth-Token': TOKEN, Authorization: `Basic ${BASIC}` },
	req_body: [['call_id', '=', 'a'], '&', [TAG_NAME, '=', TAG]],
	resp_body: JSON.stringify({ [TAG_NAME]: TAG, token: TOKEN }),
	timestamp: 63_962_753_793,
};
let status = 200;
let isLoginRefused = false;
const failure = (code: number): ScriptedAnswer => ({
	status: code,
	body: {
		auth_token: TOKEN,
		status: 'error',
		message: words,
		data: { numbers: { unique: { message: words, cause: TOKEN } } },
		echo: { credentials: MD5, headers: [['X-Auth-Token', TOKEN]] },
	},
});
const lists: Record<string, unknown[]> = { webhooks: [WEBHOOK], attempts: [ATTEMPT] };

const STEPS: Array<[string, INodeParameters]> = [
	['callflow:getMany', {}],
	['callflow:create', { numbers: '555', flowSource: 'json', flow: '{"module":"hangup"}' }],
	['webhook:getMany', {}],
	['webhook:getAttempts', {}],
	['webhook:checkHealth', {}],
	['cdr:getMany', {}],
	['account:get', {}],
	['recording:download', { source: 'url' }],
];

it.each(['contract', 'kazoo'])(
	'a PBX (%s) that repeats secrets puts none of them into outputs, errors, exports, or executions',
	async (dialect) => {
		noteLogin(LOGIN);
		noteSecret('token', TOKEN);
		noteSecret('webhook secret', TAG);
		const n8n = await connect();
		const pbx = await startScriptedPbx(({ path }) => {
			if (path.endsWith('/user_auth')) {
				if (isLoginRefused) return failure(401);
				return { status: 201, body: { auth_token: TOKEN, data: { account_id: ACCOUNT_ID } } };
			}
			if (status !== 200) return failure(status);
			const data = lists[path.split('/').at(-1) ?? ''] ?? [];
			return { body: { auth_token: TOKEN, status: 'success', data } };
		});
		const account = { baseUrl: pbx.url, ...LOGIN, dialect };
		const credential = await n8n.createCredential('virtualPbxApi', `Echo ${dialect}`, account);
		const shown: string[] = [];
		const run = async (code: number) => {
			status = code;
			const running = STEPS.map(async ([operation, parameters], index) => {
				const more = { ...parameters, recordingUrl: `${pbx.url}/rec/a.mp3` };
				const node = actionNode([`Step ${index}`, operation, more], credential);
				const file = chainOf(`Echo ${dialect} ${code} ${operation}`, [node]);
				const execution = await runChain(n8n, file);
				if (code !== 200 && operation.startsWith('callflow'))
					expect(JSON.stringify(errorOf(execution))).toContain('***');
				return JSON.stringify(execution);
			});
			shown.push(...(await Promise.all(running)));
		};
		for (const code of [200, 400, 401, 403, 500]) await run(code);
		isLoginRefused = true;
		// Another Base URL is another login.
		const wrong = { ...account, baseUrl: `${pbx.url}/refused` };
		const other = await n8n.createCredential('virtualPbxApi', `Refused ${dialect}`, wrong);
		shown.push(JSON.stringify(await n8n.testCredential(other, wrong)));
		isLoginRefused = false;
		for (const { id } of await n8n.listWorkflows())
			shown.push(JSON.stringify(await n8n.getWorkflow(id)));
		await pbx.close();

		const everything = shown.join('\n');
		expect(everything).toContain('***');
		for (const secret of ALL)
			for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) {
				const at = everything.indexOf(form);
				expect(at < 0 ? '' : everything.slice(Math.max(0, at - 200), at + 20)).toBe('');
			}
		// n8n's database, its log, and its files are searched when the run ends.
		const attempts = JSON.parse(shown[3] ?? '{}') as IDataObject;
		expect(JSON.stringify(attempts)).toContain('call_id');
	},
	300_000,
);
