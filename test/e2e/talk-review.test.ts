import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { readExample } from '../../tools/demo/examples';
import { jsonOf } from '../../tools/n8n';
import type { Credential, N8nClient, Workflow } from '../../tools/n8n';
import { eventually, later } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { runToEnd } from '../support/e2e/chain';
import { startChatModel } from '../support/e2e/chatModel';
import type { ChatModel, ModelRequest, Thought } from '../support/e2e/chatModel';
import { answeredCall } from '../support/e2e/callTable';
import { startAmong } from '../support/e2e/own';
import { CrmWorkflow, NIGHT_MS } from '../support/kits/crmWorkflow';
import { Amocrm } from '../support/services/amocrm';
import { Bitrix24 } from '../support/services/bitrix24';
import type { CrmStandIn } from '../support/services/crm';
import { GoogleSheets } from '../support/services/googleSheets';
import { Hubspot } from '../support/services/hubspot';
import { Pipedrive } from '../support/services/pipedrive';
import { Zendesk } from '../support/services/zendesk';

jest.setTimeout(NIGHT_MS);

const hubspot = new Hubspot();
const others = [new Pipedrive(), new Zendesk(), new GoogleSheets(), new Amocrm(), new Bitrix24()];
/** `npm test` runs the first one, a release all. */
const crms: CrmStandIn[] = process.env.TEST_ALL_CRMS ? [hubspot, ...others] : [hubspot];

const CUSTOMER = '12125550123';
const PROMISE =
	"Hello, Ms. {Peters}. I'll send you the price of the chairs the day after tomorrow.";
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
let credential: Credential;
let model: ChatModel;
let workflow: Workflow;
let kit: CrmWorkflow;
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

interface Order {
	at?: CrmWorkflow;
	/** Whether the CRM's workflow has logged the call. */
	isLogged?: boolean;
	prepare?: (callId: string) => void;
}

/** Places a call for each transcript, and has it reviewed. Returns their IDs, reviews, and errors, by call. */
async function reviewCalls(
	transcripts: string[],
	{ at = kit, isLogged = true, prepare }: Order = {},
) {
	const callIds: string[] = [];
	const reviews: IDataObject[] = [];
	const errors: Array<string | undefined> = [];
	for (const transcript of transcripts) {
		await pbx.client.reset();
		said = [transcript];
		const call = { from: CUSTOMER, to: '12125550100', talk_seconds: 5, speed: 100 } as const;
		const { bridge_id: callId } = await pbx.client.call({ ...call, wait: 'delivered' });
		callIds.push(String(callId));
		if (isLogged) expect(await at.log(answeredCall(String(callId), CUSTOMER))).toBeUndefined();
		prepare?.(String(callId));
		const execution = await runToEnd(n8n, workflow, 'Recording Ready', NIGHT_MS);
		errors.push(execution.data.resultData.error?.message);
		reviews.push(...jsonOf(execution, 'Review Transcript'));
	}
	return { callIds, errors, reviews };
}

/** Sets up the workflow of a CRM, and has reviews written to this CRM. */
async function useCrm(crm: CrmStandIn): Promise<CrmWorkflow> {
	const used = await CrmWorkflow.setUp(n8n, crm, credential, { subdomain: 'company' });
	expect(await used.night()).toEqual([]);
	const { nodes } = await readExample('talk-review.json', await n8n.listCredentials(), '');
	for (const node of nodes) {
		const { name, parameters } = node;
		if (name === 'Find Logged Call') parameters.dataTableId = { ...table(`${crm.title} Calls`) };
		if (name === 'Wait for the Call') Object.assign(parameters, { amount: 1, unit: 'seconds' });
		if (name.startsWith('Add to ')) node.disabled = name !== `Add to ${crm.title}`;
		if (name === 'Add to Bitrix24') parameters.url = `${crm.address}crm.timeline.comment.add`;
	}
	const { id, connections } = workflow;
	workflow = await n8n.updateWorkflow(id, { nodes, connections });
	return used;
}

const table = (value: string) => ({ __rl: true, mode: 'name', value });
const listed = (value: string) => ({ __rl: true, mode: 'list', value });

/** Selects a workflow or data table in a node, as a user does. */
function choose(nodes: INode[], name: string, choice: INodeParameters): INode[] {
	return nodes.map((node) =>
		node.name === name
			? { ...node, disabled: false, parameters: { ...node.parameters, ...choice } }
			: node,
	);
}

beforeAll(async () => {
	const transcribe = () => said.shift() ?? '';
	({ n8n, pbx, credential } = await startAmong(crms, { country: 'US' }));
	model = await startChatModel(think, transcribe);
	later(model.close);
	await n8n.createCredential('openAiApi', 'AI', { apiKey: 'none', url: model.url });
	for (const crm of crms) crm.addCustomer('Peters', '+1 212-555-0123');
	workflow = await n8n.createWorkflow(await readExample('talk-review.json', [], ''));
	const file = await readExample('talk-review-test.json', [], '');
	const { id, nodes, connections } = await n8n.createWorkflow(file);
	const chosen = choose(nodes, 'Review Transcript', { workflowId: listed(workflow.id) });
	evaluating = await n8n.updateWorkflow(id, { nodes: chosen, connections });
	kit = await useCrm(hubspot);
});

it("adds a note to the call's customer, and none for a call that is too short", async () => {
	const { callIds, reviews, errors } = await reviewCalls(['Hello?', PROMISE]);
	const [short, long] = reviews;
	const call = { at: expect.any(String), customerNumber: expect.stringContaining(CUSTOMER) };
	const fields = {
		...{ reviewStatus: 'reviewed', summary: 'They talked. That was all.', topics: 'price' },
		promises: `employee, ${String(long?.nextDue)}: Send the price`,
		nextDue: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
		...{ sentiment: 'neutral', greetedByName: false, needAsked: false, nextStepAgreed: false },
	};
	const none = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
	const days = (Date.parse(String(long?.nextDue)) - Date.parse(String(long?.at))) / 86_400_000;

	expect(errors).toEqual([undefined, undefined]);
	expect(long).toEqual({ callId: callIds[1], ...call, ...fields });
	expect([days > 0.5, days < 2.5]).toEqual([true, true]);
	expect(short).toEqual({ callId: callIds[0], ...call, ...none, reviewStatus: 'too short' });
	expect(hubspot.notes()).toEqual([expect.stringContaining('<br>topics: price<br>')]);
});

it('can be published with the nodes of other CRMs left as they are', async () => {
	expect(await n8n.activate(workflow.id)).toMatchObject({ active: true });
	await n8n.deactivate(workflow.id);
});

it('fails for a call whose review failed or is malformed, and reviews the others', async () => {
	const before = hubspot.notes().length;
	const { callIds, reviews, errors } = await reviewCalls([DOWN, GARBLED, PROMISE]);

	expect(errors).toEqual([
		expect.stringContaining('Service unavailable'),
		expect.stringContaining("Model output doesn't fit"),
		undefined,
	]);
	expect(reviews).toMatchObject([{ callId: callIds[2], topics: 'price' }]);
	expect(hubspot.notes()).toHaveLength(before + 1);
});

it('fails for a call whose recording was deleted, and reviews the others', async () => {
	let isFirst = true;
	const prepare = (callId: string) => {
		const path = `*/recordings/${callId.split('@')[0]}*`;
		if (isFirst) pbx.sandbox.pbx.faults.add({ kind: 'status', path, status: 404 });
		isFirst = false;
	};
	const { reviews, errors } = await reviewCalls([PROMISE, PROMISE], { prepare });

	expect(errors).toEqual(["The recording isn't there", undefined]);
	expect(reviews).toHaveLength(1);
});

it("transcribes nothing of a call that the CRM's workflow didn't log", async () => {
	const { reviews, errors } = await reviewCalls([PROMISE], { isLogged: false });

	expect([reviews, errors, said]).toEqual([[], [undefined], [PROMISE]]);
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
	await n8n.activate(workflow.id);
	const path = `workflows/${id}/test-runs`;
	await n8n.rest.request('POST', `${path}/new`, {});
	const evaluation = await eventually(async () => {
		const [newest] = await n8n.rest.request<Scored[]>('GET', path);
		expect(newest?.status).toBe('completed');
		return newest;
	});
	await n8n.deactivate(workflow.id);
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

for (const crm of crms.slice(1))
	it(`adds a note to the customer in ${crm.title}`, async () => {
		const at = await useCrm(crm);
		const { errors } = await reviewCalls([PROMISE], { at });

		expect(errors).toEqual([undefined]);
		expect(crm.notes()).toEqual([expect.stringContaining('topics: price')]);
	});
