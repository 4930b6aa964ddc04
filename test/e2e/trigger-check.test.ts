import { jsonOf, makeNode, rowOf } from '../../tools/n8n';
import { eventually, startBed } from '../support/e2e';
import { ONE_CHECK_MS, triggerWorkflow } from '../support/trigger/workflow';

it('the event trigger repairs disabled, deleted, and duplicated webhooks, and reports it', async () => {
	const { n8n, pbx, credential } = await startBed();
	const store = pbx.sandbox.pbx.firstAccount.webhooks;
	const registered = () =>
		store
			.all()
			.map(({ id: _, ...rest }) => rest)
			.sort((one, other) => one.hook.localeCompare(other.hook));
	const error = makeNode('Error', 'n8n-nodes-base.errorTrigger');
	const errors = await n8n.createWorkflow(rowOf('Errors of the event trigger', [error]));
	await n8n.activate(errors.id);
	const deliveryOptions = { checkMinutes: 1, startsErrorWorkflow: true };
	const workflow = await n8n.createWorkflow({
		...triggerWorkflow(credential, { deliveryOptions }),
		settings: { executionOrder: 'v1', errorWorkflow: errors.id },
	});
	await n8n.activate(workflow.id);
	const healthy = registered();
	expect(healthy).toHaveLength(3);

	const [off, gone, double] = store.all();
	if (off) store.put({ ...off, enabled: false, disable_reason: 'too many failed attempts' });
	if (gone) store.remove(gone.id);
	if (double) store.put({ ...double, id: 'double' });
	await eventually(() => expect(registered()).toEqual(healthy), ONE_CHECK_MS);

	const [report] = await n8n.waitForExecutions(workflow.id);
	const message = expect.stringMatching(
		/^the webhooks were repaired: .* was disabled \(too many failed attempts\)/,
	) as string;
	expect(report).toMatchObject({ status: 'error', data: { resultData: { error: { message } } } });
	const [received] = await n8n.waitForExecutions(errors.id);
	expect(received && jsonOf(received, 'Error')).toMatchObject([
		{ trigger: { error: { message } }, workflow: { name: workflow.name } },
	]);
	for (const { id } of [workflow, errors]) await n8n.deactivate(id);
	expect(store.all()).toEqual([]);
}, 180_000);
