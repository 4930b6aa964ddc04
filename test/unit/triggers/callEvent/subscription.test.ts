import { webhookName } from '../../../../nodes/VirtualPbx/triggers/callEvent/registration/desired';

describe('the name of a webhook', () => {
	it('says the workflow and the event', () => {
		expect(webhookName('Sales\n calls', 'channel_answer')).toBe('n8n: Sales calls (Call Answered)');
	});
});
