import type { IDataObject } from 'n8n-workflow';
import { jsonOf } from '../../tools/n8n';
import type { N8nClient } from '../../tools/n8n';
import { connect, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

describe('a country, in a real n8n', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	beforeAll(async () => {
		n8n = await connect();
		pbx = await startPbx();
	});
	afterAll(async () => await pbx.sandbox.close());

	it('of the credential makes numbers of events E.164', async () => {
		const account = { ...pbx.account, country: 'RU' };
		const credential = await n8n.createCredential('virtualPbxApi', 'PBX with a country', account);
		const told = async (parameters: IDataObject) => {
			const workflow = await n8n.createWorkflow(
				triggerWorkflow(credential, {
					events: ['ended'],
					options: { includeDetails: true },
					...parameters,
				}),
			);
			await n8n.activate(workflow.id);
			await pbx.client.call({
				from: '89161234567',
				to: '74950000100',
				ring_seconds: 1,
				talk_seconds: 2,
				speed: 100,
				wait: 'delivered',
			});
			const [execution] = await n8n.waitForExecutions(workflow.id, { count: 1 });
			await n8n.deactivate(workflow.id);
			return execution ? jsonOf(execution, TRIGGER) : [];
		};

		expect(await told({})).toMatchObject([
			{
				customerNumber: '+79161234567',
				companyNumber: '+74950000100',
				details: { fromUri: expect.stringContaining('8916') },
			},
		]);
		expect(await told({ filters: { from: '+7 916 123-45-67' } })).toHaveLength(1);
	});
});
