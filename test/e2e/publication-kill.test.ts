import { setTimeout as sleep } from 'node:timers/promises';

import { N8nClient, OWNER } from '../../tools/n8n';
import { eventually } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import { CheckBed } from '../support/trigger/checkBed';

/** n8n finishes what it was killed in when its lease of 128 s is over; the first check comes within a minute. */
const LEASE_MS = 200_000;
/** The requests of a publication at each of which one workflow is when n8n is killed. */
const MOMENTS = [
	{ method: 'PUT', path: '*/user_auth' },
	{ method: 'GET', path: '*/webhooks', skip: 0 },
	{ method: 'GET', path: '*/webhooks', skip: 1 },
	{ method: 'PUT', path: '*/webhooks', skip: 0 },
	{ method: 'PUT', path: '*/webhooks', skip: 1 },
	{ method: 'PUT', path: '*/webhooks', skip: 2 },
	{ method: 'GET', path: '*/webhooks', skip: 2 },
	{ method: 'GET', path: '*/webhooks/*', skip: 0 },
	{ method: 'GET', path: '*/webhooks/*', skip: 2 },
	{ method: 'DELETE', path: '*/webhooks/*', skip: 0 },
] as const;

it(
	'kill -9 at ten moments of a publication leaves each trigger with one healthy webhook per event',
	async () => {
		const own = await startOwnN8n();
		const n8n = await N8nClient.signIn(own.url, OWNER);
		const beds: CheckBed[] = [];
		for (const _ of MOMENTS) beds.push(await CheckBed.start(n8n));
		// A new version, so that the old one is torn down first.
		for (const { workflow } of beds) {
			const nodes = workflow.nodes.map((node) => ({
				...node,
				parameters: { ...node.parameters, dropRepeats: false } as typeof node.parameters,
			}));
			await n8n.updateWorkflow(workflow.id, { nodes });
		}
		const faults = beds.map(({ pbx }, index) => {
			const moment = { ...MOMENTS[index], kind: 'latency', times: 1, seconds: 60 } as const;
			if (index === 0) pbx.sandbox.pbx.tokens.expire();
			return pbx.sandbox.pbx.faults.add(moment as never);
		});
		const publishing = beds.map(
			async ({ workflow }) => await n8n.activate(workflow.id).catch(() => undefined),
		);
		await sleep(5_000);
		expect(faults.filter(({ hits }) => hits > 0).length).toBeGreaterThan(3);
		await own.main.kill();
		await Promise.all(publishing);
		for (const { pbx } of beds) pbx.sandbox.pbx.faults.clear();
		await own.main.start();
		const again = await N8nClient.signIn(own.url, OWNER);
		await eventually(() => beds.forEach((bed) => bed.expectHealthy()), LEASE_MS);
		for (const bed of beds) {
			await bed.call();
			await again.waitForExecutions(bed.workflow.id, { count: 3 });
			await again.deactivate(bed.workflow.id);
			bed.expectNothingLeft();
		}
		await own.dispose();
		for (const bed of beds) await bed.close();
	},
	12 * 60_000,
);
