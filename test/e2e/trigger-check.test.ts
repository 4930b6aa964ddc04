import { connect } from '../support/e2e';
import { CheckBed, errorsOf, makeErrorWorkflow } from '../support/trigger/checkBed';

it('the event trigger makes right by itself what is switched off, deleted and doubled, and reports it', async () => {
	const n8n = await connect();
	const errors = await makeErrorWorkflow(n8n);
	const settings = { errorWorkflow: errors.id };
	const bed = await CheckBed.start(n8n, { startsErrorWorkflow: true }, settings);
	await bed.expectEvents();
	const after = await bed.newest();
	const [off, gone, double] = bed.own();
	if (off) bed.store.put({ ...off, enabled: false, disable_reason: 'too many failed attempts' });
	if (gone) bed.store.remove(gone.id);
	if (double) bed.store.put({ ...double, id: 'double' });
	await bed.becomesHealthy();
	const [report] = await n8n.waitForExecutions(bed.workflow.id, { after });
	expect(report?.status).toBe('error');
	const message = expect.stringMatching(
		/^the webhooks were repaired: .* was disabled \(too many failed attempts\)/,
	) as string;
	expect(report?.data.resultData.error?.message).toEqual(message);
	expect(await errorsOf(n8n, errors)).toMatchObject([
		{ trigger: { error: { message } }, workflow: { name: bed.workflow.name } },
	]);
	await bed.expectEvents();
	await bed.deactivate();
	await n8n.deactivate(errors.id);
	await bed.close();
}, 180_000);
