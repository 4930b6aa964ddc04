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
	FLOOR,
	floorDownload,
	httpRequest,
	ourNode,
	UNSAVED,
	webhook,
	WITH_FLOOR,
} from '../flow';
import { compare, inTurns } from '../measure';
import type { Claim, Slice } from '../measure';
import { COLLECTING, spentBy } from '../memory';

const MIB = 2 ** 20;
const LIMIT_MIB = 64;
const SIZE = '{{ $json.query.bytes }}';

/** One huge recording. */
export const recording: Slice = {
	name: 'recording',
	measure,
};

async function measure(): Promise<Claim[]> {
	return await withCleanups(async (later) => {
		const env = { ...COLLECTING, ...WITH_FLOOR, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
		const n8n = await startN8n({ env });
		later(async () => await n8n.dispose());
		const script = path.join(ROOT, 'tools/bench/recordings.cjs');
		const server = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
		later(() => server.kill());
		const [line] = (await once(server.stdout, 'data')) as [Buffer];
		const pbx = line.toString().trim();
		const client = await n8n.signIn();
		const credential = await createCredential(client, pbx);
		const flow = async (get: INode) => {
			const parts = [webhook('lastNode'), get, countNode('={{ $binary.data.bytes }}')];
			return await activate(client, parts, UNSAVED);
		};
		const url = `=${pbx}/recording/${SIZE}.wav`;
		const download = {
			resource: 'recording',
			operation: 'download',
			source: 'url',
			recordingUrl: url,
		};
		const asFile = { response: { response: { responseFormat: 'file' } } };
		const urls = {
			ours: await flow(ourNode(download, credential)),
			theirs: await flow(httpRequest(url, credential, asFile)),
			floor: await flow(floorDownload(url, credential)),
		};
		const take = (flowUrl: string, size: number) => async () =>
			await spentBy(n8n, `${flowUrl}?bytes=${size}`, size);
		await take(urls.ours, MIB)();
		const bytes = 1024 * MIB;
		const { ours, theirs, floor } = await inTurns(
			{
				ours: take(urls.ours, bytes),
				theirs: take(urls.theirs, bytes),
				floor: take(urls.floor, bytes),
			},
			{ rounds: 7 },
		);
		const limit = ours.map(() => ({ peakMb: LIMIT_MIB }));
		return [
			...compare('HTTP Request as file', ours, theirs, [['time', 'ms', 'ms', { atMost: 0.9 }]]),
			...compare(FLOOR.helper, ours, floor, [['time', 'ms', 'ms']]),
			...compare(`limit of ${LIMIT_MIB} MiB`, ours, limit, [
				['memory growth', 'MiB', 'peakMb', { atMost: 1 }],
			]),
			...compare('HTTP Request as file', ours, theirs, [['memory growth', 'MiB', 'peakMb']]),
		];
	});
}
