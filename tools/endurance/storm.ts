import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../sandbox';
import { makeEventFlows } from '../bench/events';
import { activate, answerFlows, UNSAVED } from '../bench/flow';
import { rounded } from '../bench/measure';
import { residentMb } from '../bench/memory';
import { withCleanups } from '../cleanups';
import type { N8nProcess } from '../n8n';
import { startFrontDoor } from '../n8n/front-door';
import type { FrontDoor } from '../n8n/front-door';
import { Arrivals, arrivedOf } from './arrivals';
import type { Arrived, Sent } from './arrivals';
import { startRig } from './rig';
import type { Mode, Rig } from './rig';

/** n8n's engines for expressions: the default one, and that of earlier versions. */
export const ENGINES = ['vm', 'legacy'] as const;
export type Engine = (typeof ENGINES)[number];

/** What to do. */
export interface StormOrder {
	mode: Mode;
	engine: Engine;
	/** Seconds at twice the capacity. */
	seconds: number;
}

/** What came of a stretch of time. */
interface Stretch extends Arrived {
	/** How far the memory of all processes of n8n rose above their rest, in MiB. */
	memory: number;
}

/** What came of a storm. */
export interface Stormed {
	engine: Engine;
	/** Events a second that n8n takes, before all and afterwards. */
	capacity: { before: number; after: number };
	/** 1,000 deliveries at one moment. */
	burst: Stretch;
	/** Twice the capacity, with a question of a live call each second. */
	overload: Stretch & { questions: Arrived };
	/** Half the capacity while a stranger sends 200 a second without the secret; earlier runs had none. */
	strangers?: Arrived & { theirs: Arrived };
	/** Half the capacity while a webhook process (or n8n itself) stops and starts again. */
	restart: Arrived;
	/** Half the capacity while the front door is killed and started again. */
	door: Arrived;
	/** Deliveries that got 200, and those of them without an execution. */
	acknowledged: number;
	lost: number;
}

const BURST = 1000;
const CALLERS = 10;
const WARM_UP_SECONDS = 3;
const CAPACITY_SECONDS = 10;
const REST_MS = 5000;
/** Requests a second. */
const STRANGERS = 200;
const RESTART_SECONDS = 20;
const RESTART_AFTER_MS = 3000;
const QUESTION = JSON.stringify({ 'Call-ID': '$id', From: '100', To: '200' });

/** Sends n8n more than it can take, through the front door. */
export async function runStorm({ mode, engine, seconds }: StormOrder): Promise<Stormed> {
	return await withCleanups(async (later) => {
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const rig = await startRig(mode, { env: { N8N_EXPRESSION_ENGINE: engine } });
		later(async () => await rig.dispose());
		const takers = takersOf(rig, mode);
		const [main] = rig.processes;
		const urls = takers.map(({ url }) => url);
		const door = await startFrontDoor({ main: main?.url ?? '', webhooks: urls });
		later(async () => await door.close());
		const flows = await makeEventFlows(rig.client, sandbox, {});
		const through = (url: string) => `${door.url}${new URL(url).pathname}`;
		const events = new Arrivals(through(flows.ours), flows.body);
		later(async () => await events.close());
		const stranger = new Arrivals(through(flows.ours), '{}', '127.0.0.2');
		later(async () => await stranger.close());
		const asked = await activate(rig.client, answerFlows('POST').ours, UNSAVED);
		const questions = new Arrivals(through(asked), QUESTION);
		later(async () => await questions.close());
		return await storm({ rig, takers, door, events, questions, stranger }, { engine, seconds });
	});
}

/** The processes that take what the PBX sends. */
function takersOf({ processes }: Rig, mode: Mode): N8nProcess[] {
	const role = mode === 'regular' ? 'main' : 'webhook';
	return processes.filter(({ place }) => place.role === role);
}

interface Bed {
	rig: Rig;
	takers: N8nProcess[];
	door: FrontDoor;
	events: Arrivals;
	questions: Arrivals;
	stranger: Arrivals;
}

async function storm(
	{ rig, takers, door, events, questions, stranger }: Bed,
	{ engine, seconds }: { engine: Engine; seconds: number },
): Promise<Stormed> {
	const taken: string[] = [];
	const note = (sent: readonly Sent[]) => {
		taken.push(...sent.filter(({ answer }) => answer === '200').map(({ id }) => id));
		return arrivedOf(sent);
	};
	const capacity = async () => {
		const { answers } = note(await events.asManyAsGo(CALLERS, CAPACITY_SECONDS));
		return rounded((answers['200'] ?? 0) / CAPACITY_SECONDS);
	};
	note(await events.asManyAsGo(CALLERS, WARM_UP_SECONDS));
	const before = await capacity();
	const burst = await withMemory(takers, async () => note(await events.burst(BURST)));
	const overload = await withMemory(takers, async () => {
		const [told, answered] = await Promise.all([
			events.stream(2 * before, seconds),
			questions.stream(1, seconds),
		]);
		return { ...note(told), questions: arrivedOf(answered) };
	});
	await sleep(REST_MS);
	const after = await capacity();
	const during = async (harm: () => Promise<unknown>) => {
		const stream = events.stream(before / 2, RESTART_SECONDS);
		await sleep(RESTART_AFTER_MS);
		await harm();
		return note(await stream);
	};
	const theirs = stranger.stream(STRANGERS, RESTART_SECONDS);
	const strangers = note(await events.stream(before / 2, RESTART_SECONDS));
	const restart = await during(async () => await takers[0]?.restart('stop'));
	const shut = await during(async () => {
		await door.kill();
		await door.start();
	});
	const kept = await storedIds(rig);
	return {
		engine,
		capacity: { before, after },
		burst,
		overload,
		strangers: { ...strangers, theirs: arrivedOf(await theirs) },
		restart,
		door: shut,
		acknowledged: taken.length,
		lost: taken.filter((id) => !kept.has(id)).length,
	};
}

/** Watches the memory of processes during some work. */
async function withMemory<T>(
	processes: N8nProcess[],
	work: () => Promise<T>,
): Promise<T & { memory: number }> {
	const rest = residentOf(processes);
	let peak = rest;
	const timer = setInterval(() => (peak = Math.max(peak, residentOf(processes))), 200);
	try {
		const result = await work();
		return { ...result, memory: Math.round(peak - rest) };
	} finally {
		clearInterval(timer);
	}
}

/** What processes hold together, in MiB. */
const residentOf = (processes: N8nProcess[]) =>
	processes.reduce((sum, { pid }) => sum + residentMb(pid), 0);

/** The ids of the events in all executions, when n8n stores no more. */
async function storedIds(rig: Rig): Promise<Set<string>> {
	let count = -1;
	for (;;) {
		const stored = await rig.stored();
		if (stored.length === count) return new Set(stored.flatMap(({ ids }) => ids));
		count = stored.length;
		await sleep(REST_MS);
	}
}
