import { startInMode } from '../../../tools/n8n';
import type { Cluster, Mode } from '../../../tools/n8n';
import { startInternet } from '../services/internet';
import type { Service } from '../services/service';
import { later, startPbx } from './index';

/** Starts an n8n of a test file's own, which may be stopped and killed, in the mode of the shared one. */
export async function startOwnN8n(env: Record<string, string> = {}): Promise<Cluster> {
	const own = await startInMode(process.env.SHARED_N8N_MODE as Mode, { env });
	later(own.dispose);
	return own;
}

/**
 * Starts an n8n of a test file's own that reaches stand-ins under the names of services, and a sandbox PBX. In the end, nobody
 * may have asked the services for anything that these do not document, nor anybody else.
 */
export async function startAmong(services: Service[], more: { country?: string } = {}) {
	const [internet, pbx] = await Promise.all([startInternet(services), startPbx()]);
	later(internet.close);
	later(() => {
		expect(services.flatMap(({ unknown }) => unknown)).toEqual([]);
		expect(internet.strangers).toEqual([]);
	});
	const { main } = await startOwnN8n(internet.env);
	const n8n = await main.signIn();
	const data = { ...pbx.account, ...more };
	const credential = await n8n.createCredential('virtualPbxApi', 'PBX', data);
	return { internet, pbx, n8n, credential };
}
