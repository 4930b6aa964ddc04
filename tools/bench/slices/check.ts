import { appendFile, cp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../sandbox';
import { withCleanups } from '../../cleanups';
import { prepareUserFolder, startN8n } from '../../n8n';
import type { N8nProcess } from '../../n8n';
import { makeEventFlow, send } from '../events';
import type { EventFlow } from '../events';
import { compare, inTurns } from '../measure';
import type { Claim, Slice } from '../measure';
import { processorMs } from '../processor';

const PACKAGE = 'n8n-nodes-virtual-pbx';
const UNCHECKED = `${PACKAGE}-unchecked`;
/** What n8n still has to do when it has answered. */
const SETTLE_MS = 1000;
const TRIGGER = 'dist/nodes/VirtualPbx/VirtualPbxTrigger.node.js';

/** What the check of the event trigger costs each event, for which n8n has to run the trigger's `execute`. */
export const check: Slice = {
	name: 'check',
	title: 'Events with the check',
	advice:
		'Leave _Check Every_ on: the [check](events.md#the-check) adds no more to an event than we could measure.',
	method:
		'Events come over 10 connections to the event trigger and to a copy of it without the functions that the check needs (`trigger` and `execute`), in turns in one n8n.',
	measure,
};

async function measure(full: boolean): Promise<Claim[]> {
	const claims: Claim[] = [];
	for (const engine of full ? ['vm', 'legacy'] : ['vm'])
		claims.push(...(await measureOne(engine, full)));
	return claims;
}

async function measureOne(engine: string, full: boolean): Promise<Claim[]> {
	return await withCleanups(async (later) => {
		const userFolder = await prepareUserFolder();
		later(async () => await rm(userFolder, { recursive: true, force: true, maxRetries: 3 }));
		await addUnchecked(path.join(userFolder, '.n8n', 'nodes', 'node_modules'));
		const sandbox = await startSandbox();
		later(async () => await sandbox.close());
		const env = { N8N_EXPRESSION_ENGINE: engine, N8N_LOG_LEVEL: 'error' };
		const n8n = await startN8n({ userFolder, env });
		later(async () => await n8n.dispose());

		const client = await n8n.signIn();
		const load = async (name: string) => {
			const flow = await makeEventFlow(client, sandbox, { type: `${name}.virtualPbxTrigger` });
			return async () => await timesOf(n8n, flow, full ? 60 : 20);
		};
		const rounds = { rounds: full ? 8 : 1, warmUps: full ? 1 : 0 };
		const rivals = { ours: await load(PACKAGE), theirs: await load(UNCHECKED) };
		const { ours, theirs } = await inTurns(rivals, rounds);
		return compare('without the check', ours, theirs, [
			[`processor time per event, ${engine} engine`, 'ms', 'processor', { atMost: 1.05 }],
			[`time per event, ${engine} engine`, 'ms', 'wall'],
		]);
	});
}

/** Sends events; tells the milliseconds that each of them took. */
async function timesOf(n8n: N8nProcess, flow: EventFlow, amount: number) {
	const before = await processorMs([n8n]);
	const { accepted, perSecond } = await send({ ...flow, callers: 10, amount });
	await sleep(SETTLE_MS);
	return { processor: ((await processorMs([n8n])) - before) / accepted, wall: 1000 / perSecond };
}

/** Installs a copy of the package whose event trigger is a webhook and nothing else. */
async function addUnchecked(packages: string): Promise<void> {
	const copy = path.join(packages, UNCHECKED);
	await cp(path.join(packages, PACKAGE), copy, { recursive: true });
	const n8n = { n8nNodesApiVersion: 1, credentials: [], nodes: [TRIGGER] };
	await writeFile(
		path.join(copy, 'package.json'),
		JSON.stringify({ name: UNCHECKED, version: '1.0.0', n8n }),
	);
	await appendFile(
		path.join(copy, TRIGGER),
		'\nfor (const name of ["trigger", "execute"]) delete exports.VirtualPbxTrigger.prototype[name];\n',
	);
}
