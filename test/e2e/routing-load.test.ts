import { countAnswers } from '../../tools/bench/routing/answers';
import type { N8nClient } from '../../tools/n8n';
import { connect } from '../support/e2e';

/** The whole proof takes minutes: ROUTING_REQUESTS=2000, or tools/bench/routing.ts. */
const TOTAL = Number(process.env.ROUTING_REQUESTS ?? 96);

describe('many calls at once', () => {
	let n8n: N8nClient;
	beforeAll(async () => {
		n8n = await connect();
	});
	afterAll(async () => {
		const flows = (await n8n.listWorkflows()).filter(({ name }) => name.startsWith('Load: '));
		for (const { id } of flows) await n8n.deleteWorkflow(id);
	});

	it(
		'all get a valid answer, from the workflow where it gives one',
		async () => {
			const rows = await countAnswers(n8n, { total: TOTAL, callers: 6, deadline: 2 });
			const of = (name: string) => rows.find(({ workflow }) => workflow === name);

			expect(of('all')).toMatchObject({ calls: TOTAL, invalid: 0 });
			for (const kind of [
				'fails',
				'hangs',
				'answers garbage',
				'breaks a rule',
				'answers nothing',
			]) {
				expect(of(kind)).toMatchObject({
					'by the workflow': 0,
					'by the fallback': of(kind)?.calls,
				});
			}
			// What is late here is the machine, which other tests share; the measured share stands in docs/routing.md.
			expect(of('all')?.max).toBeLessThan(8000);
		},
		TOTAL * 1000,
	);
});
