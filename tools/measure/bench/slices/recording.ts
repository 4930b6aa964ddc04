import type { INode } from 'n8n-workflow';
import { SandboxClient } from '../../../sandbox-client';
import {
	activate,
	countNode,
	createCredential,
	httpRequest,
	ourNode,
	UNSAVED,
	webhook,
	withBed,
} from '../flow';
import { compare, alternate } from '../measure';
import type { Claim } from '../measure';
import { COLLECTING, spentBy } from '../memory';

const MIB = 2 ** 20;
const LIMIT_MIB = 64;

/** Measures downloading one huge recording. Throws if a node doesn't store all of it. */
export async function measureRecording(): Promise<Claim[]> {
	const env = { ...COLLECTING, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
	return await withBed(async ({ sandbox, n8n, client }) => {
		const pbx = new SandboxClient(sandbox.url);
		const credential = await createCredential(client, sandbox.url);
		const url = '={{ $json.query.url }}';
		const download = { resource: 'recording', operation: 'download', source: 'url' };
		const asFile = { response: { response: { responseFormat: 'file' } } };
		const flow = async (get: INode) => {
			const parts = [webhook('lastNode'), get, countNode('={{ $binary.data.bytes }}')];
			return await activate(client, parts, UNSAVED);
		};
		const ourUrl = await flow(ourNode({ ...download, recordingUrl: url }, credential));
		const theirUrl = await flow(httpRequest(url, credential, asFile));

		const take = async (flowUrl: string, bytes: number) => {
			const { url: stored } = await pbx.addRecording({ bytes });
			const recording = encodeURIComponent(stored);
			return async () => await spentBy(n8n, `${flowUrl}?url=${recording}`, bytes);
		};
		await (
			await take(ourUrl, MIB)
		)();
		const { ours, theirs } = await alternate(
			{ ours: await take(ourUrl, 1024 * MIB), theirs: await take(theirUrl, 1024 * MIB) },
			{ rounds: 7 },
		);
		const limit = ours.map(() => ({ peakMb: LIMIT_MIB }));
		return [
			...compare('HTTP Request as file', ours, theirs, [['time (ms)', 'ms', 0.9]]),
			...compare(`limit of ${LIMIT_MIB} MiB`, ours, limit, [['memory growth (MiB)', 'peakMb', 1]]),
			...compare('HTTP Request as file', ours, theirs, [['memory growth (MiB)', 'peakMb']]),
		];
	}, env);
}
