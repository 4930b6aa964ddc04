import type { Credential, N8nClient } from '../../tools/n8n';
import { later, startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { errorOf, runToEnd } from '../support/e2e/chain';
import { startChatModel } from '../support/e2e/chatModel';
import type { ChatModel, Thought } from '../support/e2e/chatModel';
import { importExample } from '../support/e2e/examples';

const SAID = 'Hello, please send the contract to Anna by Friday.';

let n8n: N8nClient;
let pbx: TestPbx;
let model: ChatModel;
let service: Credential;

/** Summarizes transcripts. */
const think = (): Thought => 'Anna gets the contract by Friday.';

beforeAll(async () => {
	({ n8n, pbx } = await startBed());
	model = await startChatModel(think, () => SAID);
	later(model.close);
	service = await n8n.createCredential('openAiApi', 'AI', { apiKey: 'none', url: model.url });
});

it('has a recording transcribed and summarized, and writes both to the CRM', async () => {
	const workflow = await importExample(n8n, pbx, 'recording-to-summary.json', [service]);
	const call = { from: '12125550123', to: '12125550100', talk_seconds: 5, speed: 100 };
	await pbx.client.call({ ...call, wait: 'delivered' });
	const execution = await runToEnd(n8n, workflow, 'Recording Ready');
	const notes = await pbx.client.notes();

	expect(errorOf(execution)).toBeUndefined();
	expect(notes).toMatchObject([
		{ phone: call.from, text: 'Anna gets the contract by Friday.', transcript: SAID },
	]);
	expect(model.sounds[0]?.subarray(0, 4).toString()).toBe('RIFF');
	expect(model.sounds[0]?.length).toBeGreaterThan(10_000);
});
