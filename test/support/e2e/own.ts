import { NO_EDITOR, startInMode } from '../../../tools/n8n';
import type { Cluster, Mode } from '../../../tools/n8n';
import { startInternet } from '../services/internet';
import { misfits } from '../official/misfits';
import type { Service } from '../services/service';
import { later, startPbx } from './index';

/** Starts a test file's own n8n instance, which it can stop and kill, in the shared one's mode, without the editor. */
export async function startOwnN8n(env: Record<string, string> = {}): Promise<Cluster> {
	const mode = process.env.SHARED_N8N_MODE as Mode;
	const own = await startInMode(mode, { env: { ...NO_EDITOR, ...env } });
	later(own.dispose);
	return own;
}

/**
 * Starts a test file's own n8n instance that reaches simulated services under their real names, and a
 * sandbox PBX. Fails at the end if a service got an undocumented request, if a request or response
 * doesn't fit the service's official client, or if any other host was requested. With `hasEditor`, the instance has the
 * editor, and returns its settings.
 */
export async function startAmong(
	services: Service[],
	{
		hasEditor = false,
		options = {},
		...more
	}: { country?: string; hasEditor?: boolean; options?: Parameters<typeof startPbx>[0] } = {},
) {
	const [internet, pbx] = await Promise.all([startInternet(services), startPbx(options)]);
	later(internet.close);
	later(() => {
		expect(services.flatMap(({ unknown }) => unknown)).toEqual([]);
		expect(misfits(services)).toEqual([]);
		expect(internet.strangers).toEqual([]);
	});
	const { main } = await startOwnN8n({ ...internet.env, N8N_DISABLE_UI: String(!hasEditor) });
	const n8n = await main.signIn();
	const data = { ...pbx.account, ...more };
	const credential = await n8n.createCredential('virtualPbxApi', 'PBX', data);
	return { internet, pbx, main, n8n, credential };
}
