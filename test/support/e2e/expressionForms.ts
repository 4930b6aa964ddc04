import type { INodeParameters } from 'n8n-workflow';
import type { EditorBench } from './editor';

/** A node's form: expressions are typed into some of its fields, then it runs. */
export interface Form {
	title: string;
	type: string;
	/** As they are before; entries of collections must be there already. */
	parameters: INodeParameters;
	/** Field by field: its place in the form, what is typed, and what n8n then shows as its value. */
	typed: Array<[place: string, expression: string, shown: string]>;
	/** Runs the node and gives what came of it. */
	run(bench: EditorBench): Promise<unknown>;
	expected: unknown;
}

const MAIN_NUMBER = 'd7d1813b07ccba177b05087a34673773';

const ofAccount = ({ pbx }: EditorBench) => pbx.sandbox.pbx.firstAccount;

/** Executes the node, waits until its output shows a text, and gives what came of it. */
function executed(
	shown: string | RegExp,
	result: (bench: EditorBench, output: string) => unknown,
): Form['run'] {
	return async (bench) => {
		await bench.editor.execute();
		return result(bench, await bench.editor.output(shown));
	};
}

/** Forms that together have every kind of field that takes an expression. */
export const FORMS: Form[] = [
	{
		title: 'a new webhook',
		type: 'virtualPbx',
		parameters: {
			resource: 'webhook',
			operation: 'create',
			name: 'Calls',
			additionalFields: {
				http_verb: 'post',
				retries: 2,
				customData: '{}',
			},
		},
		typed: [
			['uri', '{{ "https://crm.test/" + ["calls"][0] }}', 'https://crm.test/calls'],
			['hook', '{{ "channel_" + "answer" }}', 'channel_answer'],
			['additionalFields.http_verb', '{{ "pu" + "t" }}', 'put'],
			['additionalFields.retries', '{{ 1 + 3 }}', '4'],
			['additionalFields.customData', '{{ ({ team: "sa" + "les" }) }}', 'sales'],
		],
		run: executed('https://crm.test/calls', (bench) => ofAccount(bench).webhooks.all()),
		expected: [
			{
				uri: 'https://crm.test/calls',
				hook: 'channel_answer',
				http_verb: 'put',
				retries: 4,
				custom_data: { office: 'riga', team: 'sales' },
			},
		],
	},
	{
		title: 'a changed callflow',
		type: 'virtualPbx',
		parameters: {
			resource: 'callflow',
			operation: 'update',
			flowSource: 'json',
			updateFields: { fakenumber: false, name: '', patterns: '' },
		},
		typed: [
			['callflowId', `{{ "${MAIN_NUMBER.slice(0, 9)}" + "${MAIN_NUMBER.slice(9)}" }}`, MAIN_NUMBER],
			['updateFields.fakenumber', '{{ 2 > 1 }}', 'true'],
			['updateFields.name', '{{ "Main " + "line" }}', 'Main line'],
			['updateFields.patterns', '{{ "^7495" + "$" }}', '^7495$'],
			['flow', '{{ ({ module: "us" + "er", data: {} }) }}', 'user'],
		],
		run: executed('Main line', (bench) => ofAccount(bench).callflows.get(MAIN_NUMBER)),
		expected: {
			fakenumber: true,
			name: 'Main line',
			patterns: ['^7495$'],
			flow: { module: 'user' },
		},
	},
	{
		title: 'a query for call records',
		type: 'virtualPbx',
		parameters: {
			resource: 'cdr',
			operation: 'getMany',
			before: '2026-02-01T00:00:00Z',
			filters: { callId: '' },
		},
		typed: [
			['returnAll', '{{ 1 > 2 }}', 'false'],
			['limit', '{{ 3 - 2 }}', '1'],
			['after', '{{ "2026-01" + "-01T00:00:00Z" }}', '2026-01-01'],
			['filters.callId', '{{ "call-" + 1234567 }}', 'call-1234567'],
		],
		run: executed(/No output data returned/, ({ pbx: { sandbox } }) => {
			const asked = sandbox.pbx.requests.list().map(({ path }) => path);
			return new URL(asked.find((path) => path.includes('/cdrs')) ?? '', sandbox.url);
		}),
		expected: {
			search: '?created_from=63934444800&created_to=63937123200&filter_bridge_id=call-1234567',
		},
	},
	{
		title: 'an answer to a routing request',
		type: 'virtualPbx',
		parameters: {
			resource: 'routing',
			operation: 'buildAnswer',
			steps: {
				step: [{ type: 'device', ringing: { strategy: 'simultaneous', timeout: 20 } }],
			},
		},
		typed: [
			['steps.type', '{{ "exten" + "sion" }}', 'extension'],
			['steps.extension', '{{ 100 + 1 }}', '101'],
			['steps.ringing.strategy', '{{ "sin" + "gle" }}', 'single'],
			['steps.ringing.timeout', '{{ 3 * 5 }}', '15'],
		],
		run: executed('single', (_bench, output) => ({ output })),
		expected: { output: expect.stringMatching(/extension\W+101[^]*15/) as unknown },
	},
	{
		title: 'an answer as JSON',
		type: 'virtualPbx',
		parameters: { resource: 'routing', operation: 'buildAnswer', specifyAnswer: 'json' },
		typed: [['answer', '{{ ({ type: "pl" + "ay", filename: "hello.wav" }) }}', 'play']],
		run: executed('hello.wav', (_bench, output) => ({ output })),
		expected: { output: expect.stringContaining('play') as unknown },
	},
	{
		title: 'a trigger that listens',
		type: 'virtualPbxTrigger',
		parameters: {
			filters: { hangupCauses: ['USER_BUSY'] },
			options: { customData: '{}', retries: 2 },
		},
		typed: [
			['events', '{{ ["missed", "ended"].slice(1) }}', 'ended'],
			['filters.hangupCauses', '{{ ["NORMAL_CLEARING", "USER_BUSY"].slice(0, 1) }}', 'CLEARING'],
			['options.customData', '{{ ({ office: "Ri" + "ga" }) }}', 'Riga'],
			['options.retries', '{{ 2 + 1 }}', '3'],
		],
		async run(bench) {
			const { webhooks } = ofAccount(bench);
			for (const { id } of webhooks.all()) webhooks.remove(id);
			await bench.editor.listen();
			await bench.editor.page.getByText('Listening for test event').first().waitFor();
			const registered = webhooks.all();
			const call = { from: '74951234567', to: '100', speed: 100 };
			await bench.pbx.client.call({ ...call, outcome: 'busy', wait: 'delivered' });
			await bench.pbx.client.call({ ...call, talk_seconds: 5, wait: 'delivered' });
			return { registered, output: await bench.editor.output('NORMAL_CLEARING') };
		},
		expected: {
			registered: [{ hook: 'channel_destroy', retries: 3, custom_data: { office: 'Riga' } }],
		},
	},
];
