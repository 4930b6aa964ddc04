import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../sandbox';
import { gregorianNow } from '../../sandbox/model/time';
import { createCredential, residentMb } from '../bench/load';
import { listen } from '../listen';
import { credentialOf, makeNode, rowOf } from '../n8n';
import { SandboxClient } from '../sandbox-client';
import type { Rig } from './rig';
import { isOpen, untilQuiet } from './runs';

/**
 * Adds calls at the PBX, round after round, and kills n8n in each at a random moment after the first execution. The
 * workflow sends each call to a service, which refuses every tenth at first. Counts the calls by their executions.
 */
export async function runStarts(rig: Rig, { rounds, calls }: { rounds: number; calls: number }) {
	const bed = await startBed(rig, (count) => count % 10 === 0);
	const known: string[] = [];
	try {
		for (let round = 0; round < rounds; round++) {
			const before = bed.reached();
			known.push(...(await bed.add(calls, () => 0)));
			while (bed.reached() === before) await sleep(50);
			await sleep(6000 * Math.random());
			await rig.kills[Math.floor(rig.kills.length * Math.random())]?.();
			await untilQuiet(async () => {
				const rows = await bed.rows();
				const started = new Set(rows.flatMap((row) => row.ids));
				const missing = known.filter((id) => !started.has(id)).length;
				return (
					rows.filter(isOpen).length + Math.min(missing, Math.max(0, known.length - rows.length))
				);
			});
		}
		const rows = await bed.rows();
		const executions = known.map((id) => rows.filter(({ ids }) => ids.includes(id)));
		// In queue mode, n8n can lose the data of an execution, but not that there was one.
		const blank = rows.filter(({ ids }) => ids.length === 0).length;
		const missing = executions.filter(({ length }) => length === 0).length;
		const successes = executions.map(
			(all) => all.filter(({ status }) => status === 'success').length,
		);
		return {
			calls: known.length,
			withoutRow: Math.max(0, missing - blank),
			withSuccess: successes.filter((count) => count > 0).length,
			withTwoSuccesses: successes.filter((count) => count > 1).length,
			sentTwice: known.filter((id) => (bed.sent.get(id) ?? 0) > 1).length,
		};
	} finally {
		await bed.close();
	}
}

/** Lets calls of a day gather while n8n is down, and measures each second how it catches up. */
export async function runBacklog(rig: Rig, calls: number) {
	const bed = await startBed(rig, () => false);
	try {
		await rig.main.stop();
		await bed.add(calls, (index) => Math.floor(((calls - index) * 86_000) / calls));
		await rig.main.start();
		const began = Date.now();
		const memory = residentMb(rig.main.pid);
		const peaks: number[] = [];
		const answers: number[] = [];
		await untilQuiet(async () => {
			const asked = Date.now();
			await rig.client.listWorkflows();
			answers.push(Date.now() - asked);
			peaks.push(residentMb(rig.main.pid));
			return calls - bed.reached();
		}, 1000);
		answers.sort((one, other) => one - other);
		return {
			calls,
			missing: calls - bed.reached(),
			seconds: Math.round((Date.now() - began) / 1000),
			memoryMb: Math.round(Math.max(...peaks) - memory),
			editorMs: { median: answers[answers.length >> 1], slowest: answers.at(-1) },
		};
	} finally {
		await bed.close();
	}
}

/**
 * Starts a PBX, and publishes a workflow that sends each call to a service. `refuses` gets how many calls have reached
 * the service.
 */
async function startBed(rig: Rig, refuses: (count: number) => boolean) {
	const sandbox = await startSandbox();
	/** How often each call was accepted. */
	const sent = new Map<string, number>();
	const refused = new Set<string>();
	const reached = () => new Set([...sent.keys(), ...refused]).size;
	const server = createServer((request, response) => {
		const id = (request.url ?? '').slice(1);
		const isRefused = !sent.has(id) && !refused.has(id) && refuses(reached() + 1);
		if (isRefused) refused.add(id);
		else sent.set(id, (sent.get(id) ?? 0) + 1);
		response.writeHead(isRefused ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
	});
	const service = await listen(server);
	const own = credentialOf(await createCredential(rig.client, sandbox.url));
	const every = { checkEvery: 'tenSeconds' };
	const trigger = makeNode('New Call', 'virtualPbxRecordTrigger', every, own);
	const parameters = { method: 'POST', url: `=${service.url}/{{ $json.callId }}` };
	const send = makeNode('Send', 'n8n-nodes-base.httpRequest', parameters, { typeVersion: 4 });
	const workflow = rowOf('Send each call', [trigger, send]);
	const { id: workflowId } = await rig.client.createWorkflow(workflow);
	await rig.client.activate(workflowId);
	return {
		sent,
		reached,
		rows: async () => await rig.stored(workflowId),
		async add(count: number, secondsAgo: (index: number) => number): Promise<string[]> {
			const ids = Array.from({ length: count }, () => randomBytes(16).toString('hex'));
			const records = ids.map((id, index) => ({
				BRIDGE_ID: id,
				CALLER_ID_NUMBER: `1212555${String(index % 10_000).padStart(4, '0')}`,
				CALLEE_ID_NUMBER: '12125550100',
				TIMESTAMP: String(gregorianNow() - secondsAgo(index)),
				BILLING_SECONDS: '30',
			}));
			await new SandboxClient(sandbox.url).addRecords(records);
			return ids;
		},
		async close(): Promise<void> {
			await rig.client.deactivate(workflowId).catch(() => undefined);
			await Promise.all([service.close(), sandbox.close()]);
		},
	};
}
