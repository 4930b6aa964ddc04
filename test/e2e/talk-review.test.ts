import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { jsonOf, makeNode, rowOf } from '../../tools/n8n';
import type { N8nClient, Workflow } from '../../tools/n8n';
import { eventually, later, startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { runToEnd } from '../support/e2e/chain';
import { startChatModel } from '../support/e2e/chatModel';
import type { ChatModel, ModelRequest, Thought } from '../support/e2e/chatModel';
import { importExample } from '../support/e2e/examples';

const CUSTOMER = '74951234567';
const PROMISE =
	"Hello, Ms. {Petrova}. I'll send you the price of the chairs the day after tomorrow.";
const GARBLED = 'The model answers this call of more than ten words with something else.';
const DOWN = 'The model is down for this call, which has more than ten words.';

/** The sample that gets a well-formed but nonsensical review. */
const WRONG = 'No next step';
const NONSENSE = {
	...{ topics: ['order'], sentiment: 'positive' },
	promises: [{ who: 'customer', what: 'Come', due: '2026-02-31' }],
};

/** The sample that tries to instruct the model. */
const INJECTION = 'Instructions to the model';
const OBEYED = 'As you wish.';
const CHECKLIST = ['greetedByName', 'needAsked', 'nextStepAgreed'];

interface Scored {
	id: string;
	status: string;
	metrics: Record<string, number>;
}

let n8n: N8nClient;
let pbx: TestPbx;
let model: ChatModel;
let workflow: Workflow;
/** The workflow that evaluates the model. */
let evaluating: Workflow;
let samples: IDataObject[] = [];
/** Transcripts of the next recordings. */
let said: string[] = [];

const list = (text: unknown, separator: string) =>
	String(text)
		.split(separator)
		.map((one) => one.trim())
		.filter((one) => one !== '');

/** Builds a review in the format that the workflow requires. */
const review = (changes: IDataObject, checklist: string[] = []) => ({
	...{ summary: 'They talked. That was all.', topics: ['price'], sentiment: 'neutral' },
	promises: [],
	checklist: Object.fromEntries(CHECKLIST.map((name) => [name, checklist.includes(name)])),
	...changes,
});

/** Returns the expected review of a sample. */
function expected({ topics, promises, sentiment, checklist }: IDataObject) {
	const promised = list(promises, ';').map((one) => {
		const [who, due = null] = list(one, ',');
		return { who, what: 'Do it', due };
	});
	const changes = { topics: list(topics, ','), sentiment, promises: promised };
	return review(changes, list(checklist, ','));
}

function respond(prompt: string): object | string {
	if (prompt.includes(PROMISE)) {
		const [, due] = /The days after it:\n\S+ \S+, \S+ (\S+),/.exec(prompt) ?? [];
		return review({ promises: [{ who: 'employee', what: 'Send the price', due }] });
	}
	const sample = samples.find(({ transcript }) => prompt.includes(String(transcript).slice(0, 60)));
	if (sample?.sample === WRONG) return review(NONSENSE);
	if (sample?.sample === INJECTION) return review({ discount: OBEYED }, CHECKLIST);
	if (prompt.includes(OBEYED)) return review({}, ['needAsked']);
	return sample ? expected(sample) : 'I would rather not.';
}

function think({ messages }: ModelRequest): Thought {
	const prompt = messages.map(({ content }) => String(content)).join('\n');
	if (prompt.includes(DOWN)) return { status: 503 };
	const response = respond(prompt);
	return typeof response === 'string' ? response : JSON.stringify(response);
}

/** Places a call for each transcript, and has it reviewed. Returns their IDs, notes, and errors, by call. */
async function reviewCalls(transcripts: string[], prepare?: (callId: string) => void) {
	const callIds: string[] = [];
	const notes: IDataObject[] = [];
	const errors: Array<string | undefined> = [];
	for (const transcript of transcripts) {
		await pbx.client.reset();
		said = [transcript];
		const call = { from: CUSTOMER, to: '74950000100', talk_seconds: 5, speed: 100 } as const;
		const { bridge_id: callId } = await pbx.client.call({ ...call, wait: 'delivered' });
		callIds.push(String(callId));
		prepare?.(String(callId));
		const execution = await runToEnd(n8n, workflow, 'Recording Ready');
		errors.push(execution.data.resultData.error?.message);
		notes.push(...((await pbx.client.notes()) as IDataObject[]));
	}
	return { callIds, errors, notes };
}

const listed = (value: string) => ({ __rl: true, mode: 'list', value });

/** Selects a workflow or data table in a node, as a user does. */
function choose(nodes: INode[], name: string, choice: INodeParameters): INode[] {
	return nodes.map((node) =>
		node.name === name
			? { ...node, disabled: false, parameters: { ...node.parameters, ...choice } }
			: node,
	);
}

/** Selects the transcript review workflow in a workflow that calls it. */
async function connect({ id, nodes, connections }: Workflow, reviewer: Workflow) {
	const choice = { workflowId: listed(reviewer.id) };
	const chosen = choose(nodes, 'Review Transcript', choice);
	return await n8n.updateWorkflow(id, { nodes: chosen, connections });
}

beforeAll(async () => {
	const transcribe = () => said.shift() ?? '';
	({ n8n, pbx } = await startBed());
	model = await startChatModel(think, transcribe);
	later(model.close);
	const service = await n8n.createCredential('openAiApi', 'AI', { apiKey: 'none', url: model.url });
	const reviewer = await importExample(n8n, pbx, 'transcript-review.json', [service]);
	await n8n.activate(reviewer.id);
	const reviews = await importExample(n8n, pbx, 'talk-review.json', [service]);
	workflow = await connect(reviews, reviewer);
	evaluating = await connect(await importExample(n8n, pbx, 'talk-review-test.json'), reviewer);
});

it("writes each call's fields, and null for a call that is too short", async () => {
	const { callIds, notes, errors } = await reviewCalls(['Hello?', PROMISE]);
	const [short, long] = notes;
	const call = { at: expect.any(String), customerNumber: CUSTOMER };
	const fields = {
		...{ reviewStatus: 'reviewed', summary: 'They talked. That was all.', topics: 'price' },
		promises: `employee, ${String(long?.nextDue)}: Send the price`,
		nextDue: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
		...{ sentiment: 'neutral', greetedByName: false, needAsked: false, nextStepAgreed: false },
	};
	const none = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
	const days = (Date.parse(String(long?.nextDue)) - Date.parse(String(long?.at))) / 86_400_000;

	expect(errors).toEqual([undefined, undefined]);
	expect(notes.map(({ callId }) => callId)).toEqual(callIds);
	expect(long).toEqual({ callId: callIds[1], ...call, ...fields });
	expect([days > 0.5, days < 2.5]).toEqual([true, true]);
	expect(short).toEqual({ callId: callIds[0], ...call, ...none, reviewStatus: 'too short' });
});

it('fails for a call whose review failed or is malformed, and reviews the others', async () => {
	const { callIds, notes, errors } = await reviewCalls([DOWN, GARBLED, PROMISE]);

	expect(errors).toEqual([
		expect.stringContaining('Service unavailable'),
		expect.stringContaining("Model output doesn't fit"),
		undefined,
	]);
	expect(notes).toMatchObject([{ callId: callIds[2], topics: 'price' }]);
});

it('fails for a call whose recording was deleted, and reviews the others', async () => {
	let isFirst = true;
	const { notes, errors } = await reviewCalls([PROMISE, PROMISE], (callId) => {
		const path = `*/recordings/${callId.split('@')[0]}*`;
		if (isFirst) pbx.sandbox.pbx.faults.add({ kind: 'status', path, status: 404 });
		isFirst = false;
	});

	expect(errors).toEqual(["The recording isn't there", undefined]);
	expect(notes).toHaveLength(1);
});

it("passes each review to the CRM's workflow, and fails for a call that it can't write", async () => {
	const crm = await n8n.createWorkflow(
		rowOf('A CRM', [
			makeNode('Call Reviewed', 'n8n-nodes-base.executeWorkflowTrigger', {
				inputSource: 'passthrough',
			}),
			makeNode(
				'Write',
				'n8n-nodes-base.code',
				{ jsCode: "if (!$json.summary) throw new Error('No entry'); return [];" },
				{ typeVersion: 2 },
			),
		]),
	);
	await n8n.activate(crm.id);
	const { id, nodes, connections } = workflow;
	const written = choose(nodes, 'Your CRM', { workflowId: listed(crm.id) });
	const changed = written.map((node) =>
		node.name === 'Write Review in CRM' ? { ...node, disabled: true } : node,
	);
	await n8n.updateWorkflow(id, { nodes: changed, connections });
	const { notes, errors } = await reviewCalls([PROMISE, 'Hello?']);
	await n8n.updateWorkflow(id, { nodes, connections });
	const entries = await n8n.listExecutions({ workflowId: crm.id, status: 'success' });

	expect(errors).toEqual([undefined, expect.stringContaining('No entry')]);
	expect([notes, entries.length]).toEqual([[], 1]);
});

it('is scored by n8n’s Evaluations, which expose a wrong review', async () => {
	const { id, connections } = evaluating;
	const setUp = await runToEnd(n8n, evaluating, 'Set Up');
	await runToEnd(n8n, evaluating, 'Set Up');
	samples = jsonOf(setUp, 'Split Samples');
	const [table] = jsonOf(setUp, 'Create Table');
	const choice = { dataTableId: listed(String(table?.id)) };
	const nodes = choose(evaluating.nodes, 'Sample Call', choice);
	await n8n.updateWorkflow(id, { nodes, connections });
	const path = `workflows/${id}/test-runs`;
	await n8n.rest.request('POST', `${path}/new`, {});
	const evaluation = await eventually(async () => {
		const [newest] = await n8n.rest.request<Scored[]>('GET', path);
		expect(newest?.status).toBe('completed');
		return newest;
	});
	const cases = await n8n.rest.request<Scored[]>('GET', `${path}/${evaluation?.id}/test-cases`);
	const wrong = samples.findIndex(({ sample }) => sample === WRONG);
	const all = { topics: 1, promises: 1, sentiment: 1, checklist: 1 };
	const few = { topics: 0, promises: 0, sentiment: 0, checklist: 2 / 3 };

	expect(samples).toHaveLength(12);
	expect(cases.map(({ status, metrics }) => ({ status, metrics }))).toEqual(
		samples.map((_, index) => ({
			status: 'success',
			metrics: expect.objectContaining(index === wrong ? few : all),
		})),
	);
	for (const [name, value] of Object.entries(few))
		expect(evaluation?.metrics[name]).toBeCloseTo((11 + value) / 12);
	const prompts = model.requests.map(({ messages }) => String(messages[0]?.content)).join('\n');
	expect(prompts).toContain('Thursday, 2026-11-19, 23:30 (America/New_York)');
});
