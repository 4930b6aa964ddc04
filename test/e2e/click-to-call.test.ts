import type { Call } from '../../sandbox/calls/call';
import { jsonOf } from '../../tools/n8n';
import { eventually, startBed } from '../support/e2e';
import { actionNode, chainOf, errorOf, runChain } from '../support/e2e/chain';
import type { Step } from '../support/e2e/chain';
import { TRIGGER, triggerWorkflow } from '../support/trigger/workflow';

const NUMBER = '12125550123';
const CALL = { callType: 'outgoing', employee: '100', customerNumber: NUMBER, outcome: 'answered' };

describe.each([
	['field', {}],
	['kazoo', { dialect: 'kazoo' }],
] as const)('a call that Call → Start starts, on the profile %s', (profile, platform) => {
	it('rings the phone, and is one outgoing call by that employee in events and calls', async () => {
		const settings = { profile, local_addresses: 'accept', speed: 20 } as const;
		const { n8n, pbx } = await startBed({ settings });
		const account = { ...pbx.account, ...platform };
		const credential = await n8n.createCredential('virtualPbxApi', `PBX ${profile}`, account);
		const events = await n8n.createWorkflow(triggerWorkflow(credential, { events: ['ended'] }));
		await n8n.activate(events.id);
		const employee = { __rl: true, mode: 'extension', value: '100' };
		const run = async (...[name, ...step]: Step) => {
			const node = actionNode([name, ...step], credential);
			const execution = await runChain(n8n, chainOf(name, [node]));
			expect(errorOf(execution)).toBeUndefined();
			return jsonOf(execution, name);
		};
		const [started] = await run('Start Call', 'call:start', { employee, number: NUMBER });
		const [call] = pbx.sandbox.exchange.list();
		await pbx.sandbox.exchange.settled(call as Call, 'delivered');
		const executions = await n8n.waitForExecutions(events.id, { count: 1 });
		const calls = await eventually(async () => {
			const found = await run('Calls', 'call:getMany', { returnAll: true });
			expect(found).not.toEqual([]);
			return found;
		});
		await n8n.deactivate(events.id);

		const items = executions.flatMap((execution) => jsonOf(execution, TRIGGER));
		expect(started).toMatchObject({ number: NUMBER, employee: '100' });
		expect(pbx.sandbox.exchange.list()).toHaveLength(1);
		expect(call?.view().legs[0]).toMatchObject({ to: '100', device: 'Desk phone' });
		expect(items).toMatchObject([CALL]);
		expect(calls).toMatchObject([CALL]);
		expect(items[0]?.callId).toBe(call?.first.callId);
		expect(started?.callId).toBe(profile === 'kazoo' ? call?.first.callId : null);
	});
});
