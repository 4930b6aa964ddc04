import type { IDataObject } from 'n8n-workflow';
import { connectedTo, OLD_FLOW, startCallflowPbx } from '../support/callflowPbx';
import type { CallflowPbx } from '../support/callflowPbx';

let pbx: CallflowPbx;
beforeAll(async () => (pbx = await startCallflowPbx()));
afterAll(async () => await pbx.close());
beforeEach(() => pbx.reset());

describe('parameters of a routing trigger', () => {
	it('such as a Delivery URL go to the PBX in place of n8n’s own address', async () => {
		const options = { deliveryUrl: 'http://pbx-side.example/n8n', skipUrlCheck: true };
		const trigger = await pbx.makeTrigger({ options });
		await trigger.activate();
		const address = `http://pbx-side.example/n8n${new URL(trigger.url()).pathname}`;
		expect(pbx.flowOf()).toEqual(connectedTo(address, OLD_FLOW));
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
		await trigger.close();
	});

	it.each<[string, IDataObject, string]>([
		['no callflow', { callflowId: '' }, 'Callflow is empty'],
		['no fallback', { fallback: {} }, 'Fallback: The answer contains no steps'],
		[
			'a fallback that breaks a rule',
			{ fallback: { step: [{ type: 'play' }] } },
			'Fallback: Step 1 (play file): File Name is empty',
		],
		[
			'a deadline beyond the request timeout',
			{ deadline: 5 },
			'Deadline (5 s) must be shorter than the Request Timeout (5 s)',
		],
		[
			'an address that is none',
			{ options: { deliveryUrl: 'x' } },
			'Delivery URL "x" is not a web address',
		],
		[
			'checks that are none',
			{ options: { checkMinutes: 'x' } },
			'Check Every must be a whole number',
		],
		...[0, -1, 'abc', 1e12].map((deadline): [string, IDataObject, string] => [
			`the deadline ${deadline}`,
			{ deadline },
			'Deadline',
		]),
	])('are refused before anything is sent: %s', async (_, parameters, words) => {
		const trigger = await pbx.makeTrigger(parameters);
		const asked = pbx.requests.length;
		await expect(trigger.activate()).rejects.toThrow(words);
		expect(pbx.requests).toHaveLength(asked);
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
		await trigger.close();
	});
});
