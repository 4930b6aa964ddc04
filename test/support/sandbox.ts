import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startSandbox } from '../../sandbox';
import type { SandboxOptions } from '../../sandbox';
import { SANDBOX_LOGIN, SandboxClient } from '../../tools/sandbox-client';
import { credentialOf, operate } from './operate';
import { platformField, profileSettings } from './profile';
import type { NodeInput } from './core';

/** A sandbox PBX with a credential for it, and the action node. */
export type PbxUnderTest = Awaited<ReturnType<typeof startPbx>>;

/** Returns the query parameters of every search for call records that the sandbox received. */
export function searchesOf({ sandbox }: PbxUnderTest): Array<Record<string, string>> {
	return sandbox.pbx.requests
		.list()
		.map(({ path }) => new URL(path, 'http://pbx'))
		.filter(({ pathname }) => pathname.endsWith('/cdrs'))
		.map(({ searchParams }) => Object.fromEntries(searchParams));
}

/** Starts a sandbox on a free port. Close it with `sandbox.close()`. */
export async function startPbx(options: SandboxOptions = {}) {
	const settings = { ...profileSettings(), ...options.settings };
	const sandbox = await startSandbox({ ...options, settings });
	const client = new SandboxClient(sandbox.url);
	const login = { ...SANDBOX_LOGIN, ...platformField(settings) };
	const credential = await credentialOf(sandbox, login);
	/** Runs one operation, such as `callflow:get`. */
	const run = async (
		operation: string,
		parameters?: INodeParameters,
		more?: Partial<NodeInput>,
	): ReturnType<typeof operate> => await operate(credential, operation, parameters, more);
	return {
		...{ sandbox, client, credential, run },
		/** Runs one operation that must succeed, and returns its items. */
		items: async (operation: string, parameters?: INodeParameters): Promise<IDataObject[]> => {
			const { items, error } = await run(operation, parameters);
			if (error) throw error;
			return items;
		},
		/** Sends a request to the sandbox as its owner, bypassing the node. Returns the response's data. */
		ask: async (...request: Parameters<SandboxClient['pbx']>) =>
			(await client.pbx(...request)).data as IDataObject,
	};
}

/** Starts a sandbox before each test of a file, and closes it after the test. */
export function usePbx(options: SandboxOptions = {}): PbxUnderTest {
	const pbx = {} as PbxUnderTest;
	beforeEach(async () => void Object.assign(pbx, await startPbx(options)));
	afterEach(async () => await pbx.sandbox.close());
	return pbx;
}
