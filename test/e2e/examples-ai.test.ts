import type { IDataObject } from 'n8n-workflow';
import type { Credential, N8nClient } from '../../tools/n8n';
import { eventually, later, startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { errorOf, runToEnd } from '../support/e2e/chain';
import { converse, select, sendToChat } from '../support/e2e/chat';
import { startChatModel, toolResultsIn } from '../support/e2e/chatModel';
import type { ChatModel, ModelRequest, Thought } from '../support/e2e/chatModel';
import { importExample } from '../support/e2e/examples';

const SAID = 'Hello, please send the contract to Anna by Friday.';

let n8n: N8nClient;
let pbx: TestPbx;
let model: ChatModel;
let service: Credential;

/** Summarizes transcripts, switches the on-call employee on request, and repeats the tool's result. */
function think(request: ModelRequest): Thought {
	const [said] = toolResultsIn(request);
	if (said !== undefined) return `The tool said: ${said}`;
	const prompt = String(request.messages.at(-1)?.content);
	if (prompt.includes(SAID)) return 'Anna gets the contract by Friday.';
	const person = ['Pavel', 'Maria'].find((name) => prompt.includes(`Put ${name}`));
	if (person === undefined) return { tool: 'who_is_on_call', input: {} };
	return { tool: 'switch_on_call', input: { toolParameters: { person }, hitlParameters: {} } };
}

/** Names of the callflows in create and update requests to the PBX. */
const written = () =>
	pbx.sandbox.pbx.requests
		.list()
		.filter(({ method, path }) => method !== 'GET' && path.includes('/callflows'))
		.map(({ body }) => (body as { data: IDataObject }).data.name);

beforeAll(async () => {
	({ n8n, pbx } = await startBed());
	model = await startChatModel(think, () => SAID);
	later(model.close);
	service = await n8n.createCredential('openAiApi', 'AI', { apiKey: 'none', url: model.url });
});

it('has a recording transcribed and summarized, and writes both to the CRM', async () => {
	const workflow = await importExample(n8n, pbx, 'recording-to-summary.json', [service]);
	const call = { from: '74951234567', to: '74950000100', talk_seconds: 5, speed: 100 };
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

it('changes the on-call number only after a person approves', async () => {
	const workflow = await importExample(n8n, pbx, 'on-call-assistant.json', [service]);
	await n8n.activate(workflow.id);
	const signedOut = await sendToChat(n8n, workflow, 'Put Pavel on call', {});
	const declined = await converse(n8n, workflow, 'Put Pavel on call');
	const approved = await converse(n8n, workflow, 'Put Maria on call');
	const questions = await Promise.all([declined.message(0), approved.message(0)]);
	const before = written();
	await select(questions[0], "Don't switch");
	await select(questions[1], 'Switch');
	await eventually(() => expect(written()).not.toEqual([]));
	const query = await converse(n8n, workflow, 'Who is on call?');
	const [rejection, done, status] = await Promise.all([
		declined.message(1),
		approved.message(1),
		query.message(0),
	]);
	await eventually(async () => {
		const running = await n8n.listExecutions({ workflowId: workflow.id, status: 'waiting' });
		expect(running).toEqual([]);
	});
	await n8n.deactivate(workflow.id);
	[declined, approved, query].forEach(({ close }) => close());

	expect(signedOut.status).toBe(401);
	expect(questions).toMatchObject([{ text: 'Put Pavel on call?' }, { text: 'Put Maria on call?' }]);
	expect([before, written()]).toEqual([[], ['On call: Maria']]);
	expect(rejection).toContain('rejected');
	expect(done).toContain('On call: Maria');
	expect(status).toContain('On call: Maria');
});
