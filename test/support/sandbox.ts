import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startSandbox } from '../../sandbox';
import type { Sandbox, SandboxOptions } from '../../sandbox';
import { credentialOf, operate } from './operate';
import { platformField, profileSettings } from './profile';
import type { NodeInput, StoredCredential } from './core';

/** A sandbox PBX with a credential for it, and the action node. */
export interface PbxUnderTest {
	sandbox: Sandbox;
	credential: StoredCredential;
	/** Runs one operation, such as `callflow:get`. */
	run(
		operation: string,
		parameters?: INodeParameters,
		more?: Partial<NodeInput>,
	): ReturnType<typeof operate>;
	/** Runs one operation that must succeed, and returns its items. */
	items(operation: string, parameters?: INodeParameters): Promise<IDataObject[]>;
	/** Sends a request to the sandbox as its owner, bypassing the node. */
	ask(method: string, path: string, data?: unknown): Promise<{ status: number; data: IDataObject }>;
}

/** Adds call records to the sandbox. */
export async function addRecords({ sandbox }: PbxUnderTest, records: IDataObject[]): Promise<void> {
	const response = await fetch(`${sandbox.url}/sandbox/cdrs`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ records }),
	});
	expect(response.status).toBe(201);
}

/** Returns the query parameters of every search for call records that the sandbox received. */
export function searchesOf({ sandbox }: PbxUnderTest): Array<Record<string, string>> {
	return sandbox.pbx.requests
		.list()
		.map(({ path }) => new URL(path, 'http://pbx'))
		.filter(({ pathname }) => pathname.endsWith('/cdrs'))
		.map(({ searchParams }) => Object.fromEntries(searchParams));
}

/** The login of the sandbox's first account. */
export const DEMO = { login: 'demo', password: 'demo-password', realm: 'demo.sandbox.local' };

/** Starts a sandbox on a free port. Close it with `sandbox.close()`. */
export async function startPbx(options: SandboxOptions = {}): Promise<PbxUnderTest> {
	const settings = { ...profileSettings(), ...options.settings };
	const sandbox = await startSandbox({ ...options, settings });
	const credential = await credentialOf(sandbox, { ...DEMO, ...platformField(settings) });
	const run: PbxUnderTest['run'] = async (...order) => await operate(credential, ...order);
	return {
		sandbox,
		credential,
		run,
		items: async (name, parameters) => {
			const { items, error } = await run(name, parameters);
			if (error) throw error;
			return items;
		},
		ask: asOwner(sandbox.url),
	};
}

function asOwner(url: string): PbxUnderTest['ask'] {
	let login: Promise<{ token: string; account: string }> | undefined;
	const send = async (method: string, path: string, data: unknown, token = '') => {
		const response = await fetch(`${url}/v1/pbx${path}`, {
			method,
			headers: { 'content-type': 'application/json', 'x-auth-token': token },
			...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
		});
		const body = (await response.json()) as { data: IDataObject; auth_token: string };
		return { status: response.status, data: body.data, token: body.auth_token };
	};
	const logIn = async () => {
		const { data, token } = await send('PUT', '/user_auth', DEMO);
		return { token, account: String(data.account_id) };
	};
	return async (method, path, data) => {
		const { token, account } = await (login ??= logIn());
		return await send(method, `/accounts/${account}/${path}`, data, token);
	};
}
