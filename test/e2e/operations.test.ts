import type { INode } from 'n8n-workflow';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { jsonOf } from '../../tools/n8n';
import type { Credential, N8nClient } from '../../tools/n8n';
import { SANDBOX_LOGIN } from '../../tools/sandbox-client';
import { startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { actionNode, chainOf, errorOf, runChain } from '../support/e2e/chain';
import type { Step } from '../support/e2e/chain';
import { platformField, profileSettings } from '../support/profile';

let n8n: N8nClient;
let pbx: TestPbx;
let credential: Credential;

beforeAll(async () => ({ n8n, pbx, credential } = await startBed()));

const run = async (name: string, steps: Step[]) => {
	const execution = await runChain(
		n8n,
		chainOf(
			name,
			steps.map((step) => actionNode(step, credential)),
		),
	);
	expect(errorOf(execution)).toBeUndefined();
	return execution;
};
const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** On Kazoo, a pivot module has a URL. */
const isKazoo = platformField().dialect === 'kazoo';

describe('all operations of the resource', () => {
	it('Callflow', async () => {
		const callflowId = byId('={{ $("Create").item.json.id }}');
		const pivot = { flowSource: 'pivot', serviceUrl: 'https://n8n.example.com/webhook/route' };
		const execution = await run('All of Callflow', [
			['Create', 'callflow:create', { name: 'New', numbers: '5550001, 5550002', ...pivot }],
			['Get', 'callflow:get', { callflowId }],
			[
				'Update',
				'callflow:update',
				{ callflowId, updateFields: { name: 'Renamed', patterns: '^555\\d+$' } },
			],
			[
				'Upsert',
				'callflow:upsert',
				{ number: '5550002', flowSource: 'json', flow: '{"module":"user","data":{"id":"1"}}' },
			],
			['Get Many', 'callflow:getMany', { returnAll: true, filters: { number: '5550001' } }],
			['Delete', 'callflow:delete', { callflowId }],
		]);

		const [created] = jsonOf(execution, 'Create');
		const id = created?.id;
		expect(jsonOf(execution, 'Get')).toMatchObject([
			{
				id,
				name: 'New',
				numbers: ['5550001', '5550002'],
				flow: {
					module: 'pivot',
					data: {
						voice_url: isKazoo
							? `https://n8n.example.com/webhook/route?callflow_id=${String(id)}`
							: `{dflow}&callflow_id=${String(id)}&webserver=n8n.example.com/webhook/route`,
					},
				},
			},
		]);
		expect(jsonOf(execution, 'Update')).toMatchObject([
			{ id, name: 'Renamed', numbers: ['5550001', '5550002'], flow: { module: 'pivot' } },
		]);
		expect(jsonOf(execution, 'Upsert')).toMatchObject([
			{ id, name: 'Renamed', isNew: false, patterns: ['^555\\d+$'], flow: { module: 'user' } },
		]);
		expect(jsonOf(execution, 'Get Many')).toMatchObject([{ id, name: 'Renamed' }]);
		expect(jsonOf(execution, 'Delete')).toEqual([{ id, deleted: true }]);
	});
});

describe('the credential test', () => {
	it.each([
		['the login is wrong', 'wrong', 'Error', /doesn't accept the login, password, or realm/],
		['the connection works', SANDBOX_LOGIN.password, 'OK', /./],
	])('reports that %s', async (_, password, status, message) => {
		const data = { ...pbx.account, password };
		const result = await n8n.testCredential(credential, data);

		expect(result).toEqual({ status, message: expect.stringMatching(message) });
	});
});

describe("the credential in n8n's own HTTP Request node", () => {
	// That node outputs the whole response, including `auth_token` (§2.1), so this token is exempt from the final search.
	let ownPbx: Sandbox;
	let account: Credential;
	beforeAll(async () => {
		ownPbx = await startSandbox({ settings: profileSettings() });
		const data = { ...pbx.account, baseUrl: ownPbx.url };
		account = await n8n.createCredential('virtualPbxApi', 'PBX for HTTP Request', data);
	});
	afterAll(async () => await ownPbx.close());

	it('logs in and inserts the account ID', async () => {
		const request: INode = {
			...actionNode(['Request', ''], account),
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `${ownPbx.url}/v1/{platform}/accounts/{account_id}/callflows`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'virtualPbxApi',
				options: {},
			},
		};
		const execution = await runChain(n8n, chainOf('HTTP Request', [request]));

		expect(errorOf(execution)).toBeUndefined();
		expect(jsonOf(execution, 'Request')).toMatchObject([
			{ status: 'success', data: expect.any(Array) },
		]);
	});
});
