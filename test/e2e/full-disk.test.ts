import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { jsonOf } from '../../tools/n8n';
import { later } from '../support/e2e';
import { actionNode, chainOf, errorOf, runChain } from '../support/e2e/chain';
import { startOwnN8n } from '../support/e2e/own';
import { startScriptedPbx } from '../support/scriptedPbx';
import { unless } from '../support/unless';

const run = promisify(execFile);
const obstacle =
	process.platform === 'linux' && process.getuid?.() === 0
		? undefined
		: 'Only root on Linux can mount a small disk';

unless(obstacle, it)(
	'a full disk is named as the cause, after one download, and n8n goes on',
	async () => {
		const disk = await mkdtemp(path.join(tmpdir(), 'small-disk-'));
		await run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', disk]);
		later(async () => {
			await run('umount', ['-l', disk]);
			await rm(disk, { recursive: true });
		});
		const pbx = await startScriptedPbx(({ path: at }) =>
			at.startsWith('/rec/')
				? {
						body: `ID3${'s'.repeat(at.includes('large') ? 20_000_000 : 1_000_000)}`,
						headers: { 'content-type': 'audio/mpeg' },
					}
				: undefined,
		);
		later(pbx.close);
		const { main } = await startOwnN8n({
			N8N_STORAGE_PATH: disk,
			N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		});
		const n8n = await main.signIn();
		const account = { baseUrl: pbx.url, login: 'demo', password: 'secret-word', realm: 'r' };
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX', account);
		const download = async (name: string) => {
			const parameters = { source: 'url', recordingUrl: `${pbx.url}/rec/${name}.mp3` };
			const node = actionNode(['Download', 'recording:download', parameters], credential);
			return await runChain(n8n, chainOf(name, [node]));
		};
		const failed = errorOf(await download('large'));
		expect(failed?.message).toBe("n8n couldn't store the recording: the disk is full");
		expect(failed?.details).toContain('Free up space');
		expect(pbx.seen('GET', '/rec/large.mp3')).toHaveLength(1);

		await run('sh', ['-c', `rm -rf "${disk}"/*`]);
		const done = await download('small');
		expect(errorOf(done)).toBeUndefined();
		expect(jsonOf(done, 'Download')).toHaveLength(1);
	},
	300_000,
);
