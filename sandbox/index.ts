import type { AddressInfo } from 'node:net';
import { Exchange } from './calls/exchange';
import { completeOrder, type CallOrder } from './calls/params';
import { Dispatcher } from './delivery/dispatcher';
import { defaultSeed } from './model/default-seed';
import { Pbx } from './model/pbx';
import type { Seed } from './model/seed';
import type { Settings } from './model/settings';
import { buildApp } from './server/app';

export type { Seed } from './model/seed';
export type { Settings } from './model/settings';
export type { CallOrder } from './calls/params';

/** How to start a sandbox. Every option has a default. */
export interface SandboxOptions {
	/** Port to listen on. 0 (the default) takes a free one. */
	port?: number;
	/** Address to listen on, `127.0.0.1` by default. */
	host?: string;
	/** Accounts; two small companies by default. */
	seed?: Seed;
	/** Settings that differ from the defaults. A reset restores them. */
	settings?: Partial<Settings>;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts a sandbox PBX: both sides of the contract, and calls. Throws if the port is taken, or if the
 * seed or a setting is invalid.
 */
export async function startSandbox(options: SandboxOptions = {}) {
	const { port = 0, host = '127.0.0.1', seed = defaultSeed, settings = {} } = options;
	const pbx = new Pbx(seed, settings);
	const exchange = new Exchange(pbx, new Dispatcher(pbx));
	const app = buildApp(pbx, exchange);
	await app.listen({ port, host });
	const { port: taken } = app.server.address() as AddressInfo;
	const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
	pbx.url = `http://${name}:${taken}`;
	return {
		/** Address of the server, without a trailing slash. */
		url: pbx.url,
		port: taken,
		/** The sandbox's state, for tests in the same process. */
		pbx,
		/** Places calls, for tests in the same process. */
		exchange,
		/** Places a call, waits for its end, and until its events are delivered or given up. */
		async call(order: Partial<CallOrder>) {
			const call = exchange.place(completeOrder(order));
			if (!call) throw new Error(`There is no account ${order.account_id}`);
			await exchange.settled(call, 'delivered');
			return call;
		},
		/** Restores the seed, as `POST /sandbox/reset` does. */
		reset: async () => await exchange.reset(),
		/** Ends calls and deliveries, and closes every connection. */
		async close() {
			await exchange.clear();
			await app.close();
			await pbx.client.close();
		},
	};
}
