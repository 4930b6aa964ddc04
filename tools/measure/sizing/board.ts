import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../sandbox';
import type { Sandbox } from '../../../sandbox';
import { openBoard } from '../../../test/support/liveBoard';
import type { Board } from '../../../test/support/liveBoard';
import { withCleanups } from '../../cleanups';
import { publishBoard } from '../../demo/board';
import { BOARD_EXAMPLES, BOARD_LOGIN, ensureCredential, readExample } from '../../demo/examples';
import { startN8n } from '../../n8n';
import type { N8nClient } from '../../n8n';
import { SandboxClient } from '../../sandbox-client';
import { percentile } from '../bench/measure';
import { figure } from '../publish';

const SECONDS = 90;
/** The page's polling interval. */
const LOOK_MS = 2000;
const FAULTY = ['delivery-lose', 'delivery-duplicate', 'delivery-reorder'] as const;
const FAULT_EVERY = 50;
const HEAD = [
	'Calls a second',
	'Events',
	'Lag, p50 / p95 / longest (s)',
	'Correct after a kill and restart (s)',
];

type State = 'ringing' | 'talking' | 'none';
/** A call's states, each with its start in milliseconds. */
type Past = Array<{ state: State; since: number }>;

/** Records the current and past states of the sandbox's calls. */
class Truth {
	readonly calls = new Map<string, Past>();

	constructor(private readonly sandbox: Sandbox) {}

	look(): void {
		for (const { first } of this.sandbox.exchange.list()) {
			const { callId, state: shown } = first;
			const state = shown === 'ringing' ? 'ringing' : shown === 'answered' ? 'talking' : 'none';
			const past = this.calls.get(callId) ?? [{ state: 'none', since: 0 }];
			if (past.at(-1)?.state !== state) past.push({ state, since: Date.now() });
			this.calls.set(callId, past);
		}
	}

	/** Returns how long the most outdated call on a board has been outdated, in seconds. */
	lagOf({ ringing, talking }: Board): number {
		this.look();
		const now = Date.now();
		const shown = new Map<unknown, State>([
			...ringing.map(({ callId }) => [callId, 'ringing'] as const),
			...talking.map(({ callId }) => [callId, 'talking'] as const),
		]);
		const lags = [...this.calls].map(([callId, past]) => {
			const state = shown.get(callId) ?? 'none';
			const last = past.map((one) => one.state).lastIndexOf(state);
			if (last === past.length - 1) return 0;
			return now - (past[last < 0 ? 1 : last + 1]?.since ?? now);
		});
		return Math.max(0, ...lags) / 1000;
	}
}

async function showBoard(n8n: N8nClient, sandbox: Sandbox) {
	const pbx = await ensureCredential(n8n, sandbox.url);
	const login = await n8n.createCredential('httpBasicAuth', 'Board', BOARD_LOGIN);
	const create = async (file: string) =>
		await n8n.createWorkflow(await readExample(file, [pbx, login], sandbox.url));
	const [page, writer] = BOARD_EXAMPLES;
	const address = await publishBoard(n8n, await create(page), await create(writer));
	const authorization = `Basic ${btoa(`${BOARD_LOGIN.user}:${BOARD_LOGIN.password}`)}`;
	return await openBoard(address, { authorization });
}

/** Measures one rate of calls on its own n8n instance. Returns a row of the table. */
async function measure(rate: number, isFaulty: boolean): Promise<string[]> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const n8n = await startN8n({ env: { N8N_LOG_LEVEL: 'error' } });
		later(async () => await n8n.dispose());
		const read = await showBoard(await n8n.signIn(), sandbox);
		const pbx = new SandboxClient(sandbox.url);
		const truth = new Truth(sandbox);
		const eye = setInterval(() => truth.look(), 50);
		later(() => clearInterval(eye));
		const lags: number[] = [];
		const untilCorrect = async (patienceSeconds: number) => {
			const began = Date.now();
			while (truth.lagOf(await read()) > 0 && Date.now() - began < patienceSeconds * 1000)
				await sleep(LOOK_MS);
			return (Date.now() - began) / 1000;
		};

		const calls = rate * SECONDS;
		const began = Date.now();
		const placing = (async () => {
			for (let index = 0; index < calls; index += 1) {
				await sleep(Math.max(0, began + (index * 1000) / rate - Date.now()));
				if (isFaulty && index % FAULT_EVERY === 0)
					for (const kind of FAULTY)
						sandbox.pbx.faults.add({
							kind,
							event: 'CHANNEL_DESTROY',
							skip: randomInt(20),
							times: 1,
						});
				const ends =
					index % 5 ? { talk_seconds: randomInt(2, 30) } : { outcome: 'cancelled' as const };
				const from = `7999${1_000_000 + index}`;
				const order = { from, to: '74950000100', speed: 1, ring_seconds: randomInt(1, 8) };
				await pbx.call({ ...order, ...ends });
			}
		})();
		while (Date.now() - began < SECONDS * 1000) {
			lags.push(truth.lagOf(await read()));
			await sleep(LOOK_MS);
		}
		await placing;
		await n8n.kill();
		await n8n.start();
		const recovered = await untilCorrect(180);
		const shown = [percentile(lags, 0.5), percentile(lags, 0.95), Math.max(...lags)];
		const faults = isFaulty ? 'some lost, duplicated, out of order' : 'as sent';
		return [String(rate), faults, shown.map(figure).join(' / '), figure(recovered)];
	});
}

/** Measures how far the live board lags behind the PBX. Returns a table. */
export async function measureBoard(): Promise<string[][]> {
	const rows = [HEAD];
	for (const [rate, isFaulty] of [
		[4, false],
		[12, false],
		[12, true],
	] as const) {
		rows.push(await measure(rate, isFaulty));
		console.log(rows.at(-1)?.join(' | '));
	}
	return rows;
}
