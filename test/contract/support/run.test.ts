import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { runNode, runWorkflow, storeCredential } from '../../support/core';

/** A credential that exchanges a password for a token, like ours but a toy. */
const tokenApi: ICredentialType = {
	name: 'toyTokenApi',
	displayName: 'Toy Token API',
	properties: [
		{ displayName: 'URL', name: 'url', type: 'string', default: '' },
		{ displayName: 'Password', name: 'password', type: 'string', default: 'secret' },
		{
			displayName: 'Token',
			name: 'token',
			type: 'hidden',
			typeOptions: { expirable: true },
			default: '',
		},
	],
	async preAuthentication(credentials) {
		const login = {
			method: 'PUT' as const,
			url: `${credentials.url as string}/login`,
			body: { password: credentials.password },
		};
		const { token } = (await this.helpers.httpRequest({ ...login, json: true })) as {
			token: string;
		};
		return { token };
	},
	authenticate: async (credentials, options) => ({
		...options,
		headers: { ...options.headers, 'x-token': credentials.token },
	}),
};

/** A node that asks the toy server for each item's name. */
const toy: INodeType = {
	description: {
		displayName: 'Toy',
		name: 'toy',
		group: ['input'],
		version: 1,
		description: 'Asks a toy server',
		defaults: { name: 'Toy' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'toyTokenApi', required: true }],
		properties: [
			{ displayName: 'Path', name: 'path', type: 'string', required: true, default: '/names' },
		],
	},
	async execute() {
		const { url } = await this.getCredentials<{ url: string }>('toyTokenApi');
		const requests = this.getInputData().map(async (_, index) => {
			const address = `${url}${this.getNodeParameter('path', index) as string}`;
			const options = { url: address, json: true };
			const json = await this.helpers.httpRequestWithAuthentication.call(
				this,
				'toyTokenApi',
				options,
			);
			return { json, pairedItem: { item: index } };
		});
		return [await Promise.all(requests)];
	},
};
const types = { 'test.toy': toy };

describe('running a node on n8n-core', () => {
	let server: Server;
	let url: string;
	let valid = 'token-0';
	const seen: string[] = [];

	beforeAll(async () => {
		server = createServer((request, response) => {
			seen.push(`${request.method} ${request.url}`);
			const isLogin = request.url === '/login';
			if (isLogin) valid = `token-${seen.length}`;
			const allowed = isLogin || request.headers['x-token'] === valid;
			response.writeHead(allowed ? 200 : 401, { 'content-type': 'application/json' });
			response.end(JSON.stringify(isLogin ? { token: valid } : { path: request.url }));
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	beforeEach(() => void seen.splice(0));
	afterAll(() => void server.close());

	it('logs in once, sends the token over HTTP and keeps it for the next run', async () => {
		const credential = await storeCredential({ url }, tokenApi);
		const first = await runNode({ type: 'test.toy', types, credential });
		const second = await runNode({ type: 'test.toy', types, credential });

		expect(first).toMatchObject({ items: [{ path: '/names' }] });
		expect(second.error).toBeUndefined();
		expect(seen).toEqual(['PUT /login', 'GET /names', 'GET /names']);
		expect(credential.preAuthentications).toBe(1);
		expect(credential.read()).toEqual({ url, token: valid });
	});

	it('renews a refused token and repeats the request', async () => {
		const credential = await storeCredential({ url, token: 'outdated' }, tokenApi);
		const { items } = await runNode({ type: 'test.toy', types, credential });

		expect(items).toEqual([{ path: '/names' }]);
		expect(seen).toEqual(['GET /names', 'PUT /login', 'GET /names']);
	});

	it('evaluates expressions on each item and pairs items', async () => {
		const credential = await storeCredential({ url }, tokenApi);
		const parameters = { path: '={{ "/" + $json.name }}' };
		const items = [{ name: 'ann' }, { name: 'bob' }];
		const { output } = await runNode({ type: 'test.toy', types, credential, parameters, items });

		expect(output[0]).toMatchObject([
			{ json: { path: '/ann' }, pairedItem: { item: 0 } },
			{ json: { path: '/bob' }, pairedItem: { item: 1 } },
		]);
	});

	it('returns the error of a node that fails', async () => {
		const credential = await storeCredential({ url: 'http://127.0.0.1:1' }, tokenApi);
		const { error, items } = await runNode({ type: 'test.toy', types, credential });

		expect(error?.message).toContain('refused the connection');
		expect(items).toEqual([]);
	});

	it('returns the refusal of a node that lacks a required field', async () => {
		const credential = await storeCredential({ url }, tokenApi);
		const { error } = await runNode({
			type: 'test.toy',
			types,
			credential,
			parameters: { path: '' },
		});

		expect(error?.message).toMatch(/issues/);
		expect(seen).toEqual([]);
	});

	it('runs nodes in a row', async () => {
		const credential = await storeCredential({ url }, tokenApi);
		const run = await runWorkflow({
			types,
			nodes: [
				{ type: 'test.toy', name: 'First', credential },
				{
					type: 'test.toy',
					name: 'Second',
					credential,
					parameters: { path: '={{ $json.path }}/again' },
				},
			],
		});

		expect(run.status).toBe('success');
		expect(run.nodes.Second?.items).toEqual([{ path: '/names/again' }]);
	});
});
