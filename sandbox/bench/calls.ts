import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { startSandbox, type Sandbox } from '..';
import type { Call } from '../calls/call';
import { completeOrder } from '../calls/params';
import { newId } from '../model/ids';
import type { HookName } from '../model/types';

const HOOKS: HookName[] = ['channel_create', 'channel_answer', 'channel_destroy'];
const COUNT = 1000;
const SPEED = 2;

const ORDER = completeOrder({ ring_seconds: 4, talk_seconds: 6, speed: SPEED });

function listen(sandbox: Sandbox, port: number): void {
	const { webhooks } = sandbox.pbx.firstAccount;
	for (const hook of HOOKS) {
		const webhook = { id: newId(), name: hook, hook, uri: `http://127.0.0.1:${port}/`, retries: 0 };
		webhooks.put({ ...webhook, http_verb: 'post', enabled: true });
	}
}

/** Places calls all at once and lets them run; gives how late their steps came, in milliseconds. */
export async function benchCalls() {
	const receiver = new Worker(join(__dirname, 'receiver.mjs'), { execArgv: [] });
	const [port] = (await once(receiver, 'message')) as [number];
	const sandbox = await startSandbox({ settings: { log_size: COUNT * 10 } });
	listen(sandbox, port);
	const start = performance.now();
	const calls = Array.from({ length: COUNT }, () => sandbox.exchange.place(ORDER)).filter(
		(call): call is Call => call !== undefined,
	);
	await Promise.all(calls.map(async (call) => await sandbox.exchange.settled(call, 'delivered')));
	const seconds = (performance.now() - start) / 1000;
	const lags = calls.map(({ timeline }) => timeline.lagMs).sort((one, other) => one - other);
	const { accepted } = sandbox.pbx.deliveries.counters();
	await sandbox.close();
	await receiver.terminate();
	return {
		calls: COUNT,
		planned_seconds: (ORDER.ring_seconds + ORDER.talk_seconds) / SPEED,
		taken_seconds: Number(seconds.toFixed(2)),
		lag_ms_median: Math.round(lags[Math.floor(lags.length / 2)] ?? 0),
		lag_ms_worst: Math.round(lags.at(-1) ?? 0),
		events_accepted: accepted,
	};
}
