import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { INode } from 'n8n-workflow';
import { withCleanups } from '../../cleanups';
import { ROOT, startN8n } from '../../n8n';
import {
	activate,
	countNode,
	createCredential,
	httpRequest,
	ourNode,
	UNSAVED,
	webhook,
} from '../flow';
import { compare, inTurns } from '../measure';
import type { Claim } from '../measure';
import { COLLECTING, spentBy } from '../memory';

const MIB = 2 ** 20;
const LIMIT_MIB = 64;

/** One huge recording. Throws when a node does not store all of it. */
export async function measureRecording(): Promise<Claim[]> {
	return await withCleanups(async (later) => {
		const env = { ...COLLECTING, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
		const n8n = await startN8n({ env });
		later(async () => await n8n.dispose());
		const script = path.join(ROOT, 'tools/bench/recordings.cjs');
		const server = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
		later(() => server.kill());
		const [line] = (await once(server.stdout, 'data')) as [Buffer];
		const pbx = line.toString().trim();
		const client = await n8n.signIn();
		const credential = await createCredential(client, pbx);

		const url = `=${pbx}/recording/{{ $json.query.bytes }}.wav`;
		const download = { resource: 'recording', operation: 'download', source: 'url' };
		const asFile = { response: { response: { responseFormat: 'file' } } };
		const flow = async (get: INode) => {
			const parts = [webhook('lastNode'), get, countNode('={{ $binary.data.bytes }}')];
			return await activate(client, parts, UNSAVED);
		};
		const ourUrl = await flow(ourNode({ ...download, recordingUrl: url }, credential));
		const theirUrl = await flow(httpRequest(url, credential, asFile));

		const take = (flowUrl: string, size: number) => async () =>
			await spentBy(n8n, `${flowUrl}?bytes=${size}`, size);
		await take(ourUrl, MIB)();
		const { ours, theirs } = await inTurns(
			{ ours: take(ourUrl, 1024 * MIB), theirs: take(theirUrl, 1024 * MIB) },
			{ rounds: 7 },
		);
		const limit = ours.map(() => ({ peakMb: LIMIT_MIB }));
		return [
			...compare('HTTP Request as file', ours, theirs, [['time (ms)', 'ms', 0.9]]),
			...compare(`limit of ${LIMIT_MIB} MiB`, ours, limit, [['memory growth (MiB)', 'peakMb', 1]]),
			...compare('HTTP Request as file', ours, theirs, [['memory growth (MiB)', 'peakMb']]),
		];
	});
}
