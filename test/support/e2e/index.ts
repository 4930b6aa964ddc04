/**
 * Helpers for the end-to-end tests, which share one n8n instance (started by global-setup.ts). A
 * test that stops or kills n8n starts its own with `startN8n()` of tools/n8n.
 */
import { startSandbox } from '../../../sandbox';
import type { Sandbox } from '../../../sandbox';
import { N8nClient } from '../../../tools/n8n';
import { SANDBOX_LOGIN, SandboxClient } from '../../../tools/sandbox-client';
import { platformField, profileSettings } from '../profile';
import { noteSecrets } from './secrets';

const cleanups: Array<() => unknown> = [];

/** Registers a cleanup for after the file's tests. The last one runs first. */
export function later(cleanup: () => unknown): void {
	cleanups.push(cleanup);
}

afterAll(async () => {
	for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Signs in to the shared n8n instance. */
export async function connect(): Promise<N8nClient> {
	const url = process.env.SHARED_N8N_URL;
	if (!url)
		throw new Error('The shared n8n is not running. Run these tests with `npm run test:e2e`');
	return await N8nClient.signIn(url);
}

/** A test's own sandbox PBX, in the test's process but driven over HTTP. */
export interface TestPbx {
	sandbox: Sandbox;
	client: SandboxClient;
	/** A credential's data for it. */
	account: { baseUrl: string; login: string; password: string; realm: string; dialect?: string };
}

/** Starts a sandbox PBX on a free port, until the file's tests are over. */
export async function startPbx(...[options]: Parameters<typeof startSandbox>): Promise<TestPbx> {
	const settings = { ...profileSettings(), ...options?.settings };
	const sandbox = await startSandbox({ ...options, settings });
	later(async () => await sandbox.close());
	noteSecrets(sandbox);
	const account = { baseUrl: sandbox.url, ...SANDBOX_LOGIN, ...platformField(settings) };
	return { sandbox, client: new SandboxClient(sandbox.url), account };
}

/** Starts what most tests need: the shared n8n instance, and a sandbox PBX with a credential for it. */
export async function startBed(...options: Parameters<typeof startPbx>) {
	const [n8n, pbx] = await Promise.all([connect(), startPbx(...options)]);
	const credential = await n8n.createCredential('virtualPbxApi', 'PBX', pbx.account);
	return { n8n, pbx, credential };
}

/** An order for a one-second call. The sandbox responds after its events are delivered. */
export const SHORT = { ring_seconds: 0, talk_seconds: 1, speed: 100, wait: 'delivered' } as const;

export { eventually } from './eventually';
