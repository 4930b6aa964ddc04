import { jsonOf } from '../../tools/n8n';
import type { N8nClient } from '../../tools/n8n';
import { startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { importExample } from '../support/e2e/examples';

const CALL = {
	from: '74951234567',
	to: '74950000100',
	ring_seconds: 2,
	talk_seconds: 30,
	speed: 20,
};

describe('a call ends and a workflow runs in a real n8n', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;

	beforeAll(async () => ({ n8n, pbx } = await startBed()));
	beforeEach(async () => await pbx.client.reset());

	it('registers on activation, writes a note for the call, and registers nothing after deactivation', async () => {
		const workflow = await importExample(n8n, pbx, 'call-ended-to-crm.json');
		await n8n.activate(workflow.id);
		expect(await pbx.client.webhooks()).toMatchObject([
			{ hook: 'channel_destroy', http_verb: 'post' },
		]);

		await pbx.client.call({ ...CALL, wait: 'delivered' });
		await pbx.client.call({ ...CALL, from: '100', to: '79995550003', wait: 'delivered' });
		const executions = await n8n.waitForExecutions(workflow.id, { count: 2 });
		await n8n.deactivate(workflow.id);

		expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);
		const items = executions.flatMap((execution) => jsonOf(execution, 'Call Ended'));
		const talk = { event: 'ended', outcome: 'answered', talkSeconds: CALL.talk_seconds };
		expect(items).toMatchObject([
			{ ...talk, callType: 'incoming', customerNumber: CALL.from },
			{ ...talk, callType: 'outgoing', customerNumber: '79995550003', employee: '100' },
		]);
		const notes = await pbx.client.notes();
		const told = /call: talked for 30 s/;
		expect(notes).toMatchObject([
			{ phone: CALL.from, text: expect.stringMatching(told) },
			{ phone: '79995550003', text: expect.stringMatching(told) },
		]);
		expect(await pbx.client.webhooks()).toEqual([]);
	});

	it('tells in words that the login is wrong', async () => {
		const data = { ...pbx.account, password: 'wrong' };
		const credential = await n8n.createCredential('virtualPbxApi', 'Wrong password', data);
		const { status, message } = await n8n.testCredential(credential, data);

		expect(status).toBe('Error');
		expect(message).toMatch(/does not accept the login, password or realm/);
	});

	it('says that the connection works when the login is right', async () => {
		const credential = await n8n.createCredential('virtualPbxApi', 'Right password', pbx.account);

		expect(await n8n.testCredential(credential, pbx.account)).toEqual({
			status: 'OK',
			message: expect.any(String),
		});
	});
});
