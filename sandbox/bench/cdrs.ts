import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '..';
import { generateCdrs } from '../control/generate';

const COUNT = 100_000;
const MEBIBYTE = 1024 * 1024;

const memory = (): number => {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
};

/** Reads a list without keeping it; gives its size, and the most memory in use meanwhile. */
async function readAll(url: string, headers: Record<string, string>) {
	let bytes = 0;
	let peak = 0;
	await new Promise<void>((resolve, reject) => {
		get(url, { headers }, (response) => {
			response.on('data', (chunk: Buffer) => {
				bytes += chunk.length;
				peak = Math.max(peak, memory());
			});
			response.on('end', resolve);
		}).on('error', reject);
	});
	return { bytes, peak };
}

/** Streams a long list of CDRs; gives the time beside JSON.stringify of the same, and the memory it took. */
export async function benchCdrs() {
	const sandbox = await startSandbox();
	const account = sandbox.pbx.firstAccount;
	for (const cdr of generateCdrs(account, { count: COUNT, from: 1, to: COUNT }))
		account.cdrs.add(cdr);
	const headers = { 'x-auth-token': sandbox.pbx.tokens.issue(account) };
	const url = `${sandbox.url}/v1/pbx/accounts/${account.id}/cdrs`;
	await readAll(url, headers);
	global.gc?.();
	await sleep(100);
	const before = memory();
	const start = performance.now();
	const { bytes, peak } = await readAll(url, headers);
	const ms = performance.now() - start;
	const second = performance.now();
	JSON.stringify([...account.cdrs.range(0, COUNT)]);
	const stringifyMs = performance.now() - second;
	await sandbox.close();
	return {
		records: COUNT,
		mebibytes: Math.round(bytes / MEBIBYTE),
		ms: Math.round(ms),
		ratio_to_stringify: Number((ms / stringifyMs).toFixed(2)),
		memory_growth_mebibytes: Math.round((peak - before) / MEBIBYTE),
	};
}
