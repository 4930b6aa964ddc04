/**
 * Measures how fast a live call gets its answer, against n8n's own Webhook and Respond to Webhook nodes in the same n8n
 * and against nodes that do nothing, and whether every caller gets a valid one in time; with `--queue` in queue mode with
 * two workers.
 *
 *   npx tsx tools/bench/routing.ts [--rounds 6] [--engine vm|legacy|quickjs] [--pool 1]
 *   npx tsx tools/bench/routing.ts --requests 2000 [--callers 8] [--deadline 2] [--queue]
 */
import { parseArgs } from 'node:util';
import { N8nClient, OWNER, startCluster, startN8n } from '../n8n';
import { runAsCommand } from '../setup/failure.mjs';
import { FLOOR_FOLDER } from './routing/flows';
import { compareSpeed } from './routing/speed';
import { countAnswers } from './routing/answers';

const { values } = parseArgs({
	options: {
		rounds: { type: 'string', default: '6' },
		engine: { type: 'string', default: 'vm' },
		pool: { type: 'string', default: '1' },
		requests: { type: 'string' },
		callers: { type: 'string', default: '8' },
		deadline: { type: 'string', default: '2' },
		queue: { type: 'boolean', default: false },
	},
});

async function main(): Promise<void> {
	const env = {
		N8N_EXPRESSION_ENGINE: values.engine,
		N8N_EXPRESSION_ENGINE_POOL_SIZE: values.pool,
		N8N_LOG_LEVEL: 'error',
		N8N_CUSTOM_EXTENSIONS: FLOOR_FOLDER,
	};
	const n8n = values.queue ? await startCluster({ workers: 2, env }) : await startN8n({ env });
	try {
		const client = await N8nClient.signIn(n8n.url, OWNER);
		console.log(`n8n with expression engine ${values.engine}, pool of ${values.pool}`);
		if (values.requests === undefined)
			console.table(await compareSpeed(client, Number(values.rounds)));
		else {
			const total = Number(values.requests);
			console.table(
				await countAnswers(client, {
					total,
					callers: Number(values.callers),
					deadline: Number(values.deadline),
				}),
			);
		}
	} finally {
		await n8n.dispose();
	}
}

void runAsCommand(main);
