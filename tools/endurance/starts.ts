import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox } from '../../sandbox';
import type { Sandbox } from '../../sandbox';
import { createCredential, residentMb } from '../bench/load';
import { listen } from '../listen';
import { credentialOf, makeNode, rowOf } from '../n8n';
import { SandboxClient } from '../sandbox-client';
import type { Rig } from './rig';
import { countBy } from './watch';

/** How long to wait for the executions of one round without any new one. */
const QUIET_MS = 120_000;
const LOOK_MS = 1000;

/**
 * Adds calls at the PBX, round after round, and kills n8n in each at a random moment after the first execution. The
 * workflow sends each call to a service, which refuses every tenth at first. Counts executions by call and status.
 */
export async function runStarts(
	rig: Rig,
	{ rounds, calls, random = Math.random }: { rounds: number; calls: number; random?: () => number },
) {
	const bed = await startBed(rig, (count) => count % 10 !== 0);
	const kills = Object.entries(rig.faults).filter(([name]) => name.endsWith('kill -9'));
	const known: string[] = [];
	try {
		for (let round = 0; round < rounds; round++) {
			const before = bed.sent();
			known.push(...(await bed.add(calls, () => 0)));
			while (bed.sent() === before) await sleep(50);
			await sleep(6000 * random());
			const [, kill] = kills[Math.floor(kills.length * random())] ?? [];
			await kill?.();
			await bed.untilStarted(known);
		}
		const rows = await bed.rows();
		const ofCall = (id: string) => rows.filter(({ ids }) => ids.includes(id));
		const isSuccess = ({ status }: { status: string }) => status === 'success';
		const statuses = known.map((id) => ofCall(id).map(({ status }) => status));
		// In queue mode, n8n can lose the data of an execution, but not that there was one.
		const blank = rows.filter(({ ids }) => ids.length === 0).map(({ status }) => status);
		const missing = statuses.filter(({ length }) => length === 0).length;
		return {
			calls: known.length,
			withoutRow: Math.max(0, missing - blank.length),
			withoutData: countBy(blank),
			withTwoSuccesses: known.filter((id) => ofCall(id).filter(isSuccess).length > 1).length,
			sentTwice: known.filter((id) => bed.sentOf(id) > 1).length,
			executions: countBy(statuses.flat()),
		};
	} finally {
		await bed.close();
	}
}

/** Lets calls of a day gather while n8n is down, and measures how it catches up. */
export async function runBacklog(rig: Rig, calls: number) {
	const bed = await startBed(rig, () => true);
	try {
		await rig.main.stop();
		const ids = await bed.add(calls, (index) => Math.floor(((calls - index) * 86_000) / calls));
		await rig.main.start();
		const began = Date.now();
		const memory = residentMb(rig.main.pid ?? 0);
		const peaks: number[] = [];
		const answers: number[] = [];
		for (let last = -1, since = began; Date.now() - since < QUIET_MS; ) {
			const sent = bed.sent();
			if (sent > last) since = Date.now();
			last = sent;
			if (sent >= ids.length) break;
			const asked = Date.now();
			await rig.client.rest.request('GET', 'workflows');
			answers.push(Date.now() - asked);
			peaks.push(residentMb(rig.main.pid ?? 0));
			await sleep(LOOK_MS);
		}
		answers.sort((one, other) => one - other);
		return {
			calls: ids.length,
			started: bed.sent(),
			seconds: Math.round((Date.now() - began) / 1000),
			memoryMb: Math.round(Math.max(...peaks) - memory),
			editorMs: [answers[answers.length >> 1], answers.at(-1)],
		};
	} finally {
		await bed.close();
	}
}

/** A PBX, a published workflow, and the service that it sends calls to. `accepts` gets the count of a call's number. */
async function startBed(rig: Rig, accepts: (count: number) => boolean) {
	const sandbox = await startSandbox({ settings: { local_addresses: 'accept' } });
	const client = new SandboxClient(sandbox.url);
	const sent = new Map<string, number>();
	const refused = new Set<string>();
	const server = createServer((request, response) => {
		const id = (request.url ?? '').slice(1);
		const isRefused = !sent.has(id) && !refused.has(id) && !accepts(sent.size + refused.size + 1);
		if (isRefused) refused.add(id);
		else sent.set(id, (sent.get(id) ?? 0) + 1);
		response.writeHead(isRefused ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
	});
	const service = await listen(server);
	const workflowId = await publish(rig, sandbox, service.url);
	const total = () => sent.size + refused.size;
	return {
		sent: total,
		sentOf: (id: string) => sent.get(id) ?? 0,
		async add(count: number, secondsAgo: (index: number) => number): Promise<string[]> {
			const ids = Array.from({ length: count }, () => randomBytes(16).toString('hex'));
			await client.addRecords(ids.map((id, index) => recordOf(id, index, secondsAgo(index))));
			return ids;
		},
		rows: async () => (await rig.stored()).filter((one) => one.workflowId === workflowId),
		async untilStarted(ids: readonly string[]): Promise<void> {
			for (let last = -1, since = Date.now(); Date.now() - since < QUIET_MS; ) {
				const rows = (await rig.stored()).filter((one) => one.workflowId === workflowId);
				const open = rows.filter(({ status }) => ['new', 'running'].includes(status)).length;
				const started = new Set(rows.flatMap((row) => row.ids));
				if (open === 0 && ids.every((id) => started.has(id))) return;
				if (open === 0 && rows.length >= ids.length) return;
				if (rows.length > last) since = Date.now();
				last = rows.length;
				await sleep(LOOK_MS);
			}
		},
		async close(): Promise<void> {
			await rig.client.deactivate(workflowId).catch(() => undefined);
			await Promise.all([service.close(), sandbox.close()]);
		},
	};
}

const recordOf = (id: string, index: number, secondsAgo: number): IDataObject => ({
	CALL_DIRECTION: 'inbound',
	BRIDGE_ID: id,
	CALLER_ID_NUMBER: `1212555${String(index % 10_000).padStart(4, '0')}`,
	CALLEE_ID_NUMBER: '12125550100',
	TIMESTAMP: String(62_167_219_200 + Math.floor(Date.now() / 1000) - secondsAgo),
	BILLING_SECONDS: '30',
	HANGUP_CAUSE: 'NORMAL_CLEARING',
});

async function publish(rig: Rig, { url }: Sandbox, service: string): Promise<string> {
	const own = credentialOf(await createCredential(rig.client, url));
	const trigger = makeNode(
		'New Call',
		'virtualPbxRecordTrigger',
		{ checkEvery: 'tenSeconds' },
		own,
	);
	const parameters = { method: 'POST', url: `=${service}/{{ $json.callId }}` };
	const send = makeNode('Send', 'n8n-nodes-base.httpRequest', parameters, { typeVersion: 4 });
	const { id } = await rig.client.createWorkflow(rowOf('Send each call', [trigger, send]));
	await rig.client.activate(id);
	return id;
}
