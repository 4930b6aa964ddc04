import { webhookName } from '../../../../nodes/VirtualPbx/triggers/callEvent/webhooks/desired';

describe('the name of a webhook', () => {
	it('says the workflow and the event', () => {
		expect(webhookName('Sales\n calls', 'channel_answer')).toBe('n8n: Sales calls (Call Answered)');
	});

	it.each(['👩‍👩‍👧‍👦', '😀', '🇱🇻', 'é', 'ö'])(
		'is cut between characters, never inside %s',
		(character) => {
			for (let before = 0; before < 30; before++) {
				const name = webhookName('x'.repeat(40 + before) + character.repeat(20), 'channel_destroy');
				const text = name.slice('n8n: '.length, -' (Call Ended)'.length).replace(/^x+/, '');
				expect(name.length).toBeLessThanOrEqual(80);
				expect(text).toBe(character.repeat(text.length / character.length));
			}
		},
	);
});
