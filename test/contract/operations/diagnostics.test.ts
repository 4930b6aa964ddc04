import { MARK_NAME } from '../../../nodes/VirtualPbx/events/secret';
import { startPbx } from '../../support/sandbox';
import type { PbxUnderTest } from '../../support/sandbox';

let pbx: PbxUnderTest;
beforeEach(async () => void (pbx = await startPbx({ settings: { retry_interval_seconds: 0 } })));
afterEach(async () => await pbx.sandbox.close());

describe('what docs/troubleshooting.md asks for in a report', () => {
	it('holds neither token nor password nor webhook secret', async () => {
		const secret = 'c0ffee'.repeat(10);
		await pbx.ask('PUT', 'webhooks', {
			name: 'Ours',
			uri: `http://127.0.0.1:1/events?token=${secret}`,
			http_verb: 'post',
			hook: 'channel_destroy',
			retries: 1,
			custom_data: { [MARK_NAME]: secret },
		});
		await pbx.sandbox.call({ from: '74951234567', to: '74950000100', speed: 1000 });

		const account = await pbx.items('account:get');
		const attempts = await pbx.items('webhook:getAttempts');
		const failed = await pbx.run('callflow:get', {
			callflowId: { __rl: true, mode: 'id', value: 'no-such' },
		});
		const told = JSON.stringify([account, attempts, failed.error, failed.error?.message]);

		expect(account).toHaveLength(1);
		expect(attempts.length).toBeGreaterThan(0);
		expect(failed.error).toBeDefined();
		const token = String(pbx.credential.read().authToken).split(':').pop() ?? '';
		expect(token.length).toBeGreaterThan(8);
		for (const hidden of [secret, token, 'demo-password']) expect(told).not.toContain(hidden);
	});
});
