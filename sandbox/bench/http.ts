import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { startSandbox } from '..';

const run = promisify(execFile);

const ROUNDS = 3;
const SECONDS = 3;
const CONNECTIONS = 50;

interface LoadResult {
	requests: { average: number };
	non2xx: number;
	errors: number;
}

/** One target of the load: a name and a request. */
export interface Target {
	name: string;
	url: string;
	headers: Record<string, string>;
}

/** A bare server that answers the same bytes: the floor of what node can do. */
export async function bareServer(body: string): Promise<{ url: string; server: Server }> {
	const server = createServer((_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Loads a target from another process; gives requests per second. Throws when one was refused. */
async function rate({ url, headers }: Target): Promise<number> {
	const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
	const load = ['-j', '-n', '-c', String(CONNECTIONS), '-d', String(SECONDS), ...named, url];
	const { stdout } = await run(process.execPath, [require.resolve('autocannon'), ...load]);
	const { requests, non2xx, errors } = JSON.parse(stdout) as LoadResult;
	if (non2xx + errors > 0) throw new Error(`${url} refused ${non2xx + errors} requests`);
	return requests.average;
}

const median = (values: number[]): number =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Measures small GETs of the sandbox beside a bare server, by turns; gives requests per second and the ratio. */
export async function benchHttp() {
	const sandbox = await startSandbox();
	const account = sandbox.pbx.firstAccount;
	const headers = { 'x-auth-token': sandbox.pbx.tokens.issue(account) };
	const target = {
		name: 'sandbox',
		url: `${sandbox.url}/v1/pbx/accounts/${account.id}/webhooks`,
		headers,
	};
	const body = await (await fetch(target.url, { headers })).text();
	const bare = await bareServer(body);
	const floor = { name: 'node:http', url: bare.url, headers };
	const rates = { sandbox: [] as number[], bare: [] as number[] };
	for (let round = 0; round < ROUNDS; round++) {
		rates.bare.push(await rate(floor));
		rates.sandbox.push(await rate(target));
	}
	bare.server.close();
	bare.server.closeAllConnections();
	await sandbox.close();
	const [ours, theirs] = [median(rates.sandbox), median(rates.bare)];
	return { sandbox: Math.round(ours), bare: Math.round(theirs), ratio: ours / theirs };
}
