import { setTimeout as sleep } from 'node:timers/promises';

import { N8nClient, OWNER } from '../../tools/n8n';
import { eventually } from '../support/e2e';
import { startOwnN8n } from '../support/e2e/own';
import type { OwnN8n } from '../support/e2e/own';
import { CheckBed, EVENTS, ONE_CHECK_MS } from '../support/trigger/checkBed';
import { eventsOf } from '../support/trigger/workflow';

describe('the check of the event trigger in queue mode', () => {
	let own: OwnN8n;
	let n8n: N8nClient;
	let bed: CheckBed;
	beforeAll(async () => {
		own = await startOwnN8n();
		n8n = await N8nClient.signIn(own.url, OWNER);
		bed = await CheckBed.start(n8n);
	}, 120_000);
	afterAll(async () => {
		await own.dispose();
		await bed.close();
	});

	it('is made by the main process alone; without it events go on, and at its return all is right', async () => {
		const atFirst = bed.lists();
		await eventually(() => expect(bed.lists()).toBeGreaterThan(atFirst), ONE_CHECK_MS);
		await sleep(3000);
		const before = bed.lists();
		await sleep(60_000);
		expect(bed.lists()).toBe(before + 1);

		await own.main.kill();
		const whileDown = bed.lists();
		await bed.call();
		const { accepted, failed } = bed.pbx.sandbox.pbx.deliveries.counters();
		expect({ isTaken: accepted > 0, failed }).toEqual({ isTaken: true, failed: 0 });
		const [gone, off] = bed.own();
		if (gone) bed.store.remove(gone.id);
		if (off) bed.store.put({ ...off, enabled: false });
		await sleep(ONE_CHECK_MS);
		expect(bed.lists()).toBe(whileDown);

		await own.main.start();
		await bed.becomesHealthy();
		const executions = await n8n.waitForExecutions(bed.workflow.id, { count: EVENTS.length });
		expect(eventsOf(executions).sort()).toEqual(EVENTS);
		await bed.expectEvents();
		await bed.deactivate();
	}, 400_000);
});
