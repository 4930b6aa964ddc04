import { createServer } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { listen } from '../../../tools/listen';
import { runNode } from '../../support/core';
import { checkAnswer } from '../../../nodes/VirtualPbx/pbx/pivot/answer';
import { PIVOT_ANSWERS, titled } from '../../support/corpus';
import type { PivotAnswer } from '../../support/corpus';
import { usePbx } from '../../support/sandbox';

const pbx = usePbx({ settings: { profile: 'kazoo', local_addresses: 'accept', speed: 1000 } });
const account = () => pbx.sandbox.pbx.firstAccount;

/** IDs of the sandbox in place of the recorded ones. */
function here(text: string): string {
	const [, { id: user = '', devices = [] } = {}] = account().users();
	const ids: Record<string, string> = {
		u: user,
		d: devices[0]?.id ?? '',
		v: account().mailboxId(account().users()[0] as never),
		w: account().soundId('welcome.wav'),
		c: account().callflows.match('12125550103')?.id ?? '',
	};
	return text.replace(/\{(\w)\w+\}/g, (_, kind: string) => ids[kind] ?? '');
}

/** Whether a real Kazoo executed an answer: its first command was neither for the child nor a hang-up. */
const isExecuted = ({ commands: [first] }: PivotAnswer) =>
	first !== undefined && first.application !== 'hangup' && first.endpoints?.[0] !== '{u103}';

describe('the sandbox does with an answer to pivot what a real Kazoo did', () => {
	it.each(titled(PIVOT_ANSWERS))(
		'%s',
		async (what, recorded) => {
			const { answer, commands } = recorded;
			const server = await listen(
				createServer((_request, response) => {
					const send = () =>
						response
							.writeHead(answer.status, { 'content-type': answer['content-type'] })
							.end(here(answer.body));
					setTimeout(send, answer.after_ms ?? 0);
				}),
			);
			const children = { _: { module: 'user', data: { id: here('{u103}') }, children: {} } };
			const data = { method: 'get', req_format: 'kazoo', voice_url: `${server.url}/pv` };
			const { id } = account().callflows.match('12125550102') ?? { id: '' };
			const flow = { module: 'pivot', data, children };
			account().callflows.put({ ...account().callflows.get(id), flow } as never);
			await pbx.sandbox.call({ from: '12125550123', to: '12125550102' });
			await server.close();
			const [entry] = pbx.sandbox.pbx.routing.list();
			const isHungUp = commands[0]?.application === 'hangup';
			const isSilence = commands.length === 0;
			const outcome = isHungUp || isSilence ? 'ended' : isExecuted(recorded) ? 'executed' : 'child';
			// Kazoo executes a step for a user that doesn't exist, and hangs up.
			const expected = what === 'a user that does not exist' ? 'executed' : outcome;
			expect(entry?.outcome).toBe(expected);
		},
		20_000,
	);
});

describe('a workflow’s answer is judged as a real Kazoo judged it', () => {
	const given = PIVOT_ANSWERS.filter(
		({ answer: { status, after_ms: late } }) => status === 200 && !late,
	);
	it.each(titled(given))('%s', (what, recorded) => {
		const { answer, problems } = checkAnswer(here(recorded.answer.body), true);
		const isUnknownUser = what === 'a user that does not exist';
		// Operations are rewritten as a flow before they are sent.
		const isTaken = isExecuted(recorded) || isUnknownUser || what === 'operations of the contract';
		expect(problems.length === 0).toBe(isTaken);
		const { children = {}, ...sent } = JSON.parse(
			/^\{.*\}$/.test(recorded.answer.body) ? here(recorded.answer.body) : '{}',
		) as IDataObject;
		if (isTaken && !('operations' in sent)) expect(answer).toEqual({ ...sent, children });
	});
});

describe('Build Answer refuses a flow at which a Kazoo would leave the caller in silence', () => {
	const build = async (flow: unknown) => {
		const parameters = { resource: 'routing', operation: 'buildAnswer', specifyAnswer: 'flow' };
		const run = await runNode({
			type: 'virtualPbx',
			parameters: { ...parameters, flow: JSON.stringify(flow) },
		});
		return { items: run.items, message: run.error?.message };
	};
	const node = (module: string, data: unknown): IDataObject => ({ module, data }) as IDataObject;
	const behind = (inner: IDataObject): IDataObject => ({
		...node('play', { id: 'a' }),
		children: { _: inner },
	});
	const user = (more: object) => node('user', { id: 'a', ...more });
	const ofUser = 'in "data" of the module user,';

	it.each<[unknown, string]>([
		[node('nothing_like_it', {}), 'Kazoo has no module "nothing_like_it"'],
		[node('User', { id: 'a' }), 'Kazoo has no module "User"; write "user"'],
		[node(' user', { id: 'a' }), 'Kazoo has no module " user"; write "user"'],
		[node('user', { id: 5 }), `${ofUser} "id" must be text that isn't empty, not 5`],
		[node('user', {}), `${ofUser} "id" is missing`],
		[
			behind(user({ timeout: '20' })),
			`at "children._": ${ofUser} "timeout" must be a whole number, not "20"`,
		],
		[
			behind(user({ timeout: null })),
			`at "children._": ${ofUser} "timeout" must be a whole number, not null`,
		],
		[user({ timeout: 1e21 }), '"timeout" must be a whole number'],
		[node('user', null), '"data" must be a JSON object'],
		[
			node('voicemail', { id: '100', action: 'compose' }),
			'in "data" of the module voicemail, "id" must be text of 32 characters, not "100"',
		],
		[
			node('voicemail', { id: 'a'.repeat(32), action: 'leave' }),
			'"action" must be one of check, compose, not "leave"',
		],
		[
			node('ring_group', { endpoints: [{ id: 'a' }] }),
			'in "endpoints", "endpoint_type" is missing',
		],
		[node('ring_group', { endpoints: [] }), '"endpoints" must be a list that isn\'t empty, not []'],
		[node('tts', { text: '' }), '"text" must be text of 1 to 1000 characters, not ""'],
		[node('tts', { text: 'x'.repeat(1001) }), '"text" must be text of 1 to 1000'],
		[node('language', { language: 'english' }), 'a language such as en or en-us'],
		[node('sleep', { duration: 1.5 }), '"duration" must be a whole number'],
		[
			node('resources', { outbound_flags: ['a', 1] }),
			'"outbound_flags" must be a list, each entry text, not ["a",1]',
		],
		[node('pivot', { voice_url: '{dflow}&x' }), '"voice_url" must be a web address'],
		[node('webhook', { uri: 'http://localhost:5678/a' }), 'a web address of another machine'],
		[node('record_call', { action: 'start', url: '' }), '"url" must be a web address'],
		[node('audio_macro', { macros: [{ macro: 'tone', repeat: '2' }] }), '"repeat"'],
		[node('receive_fax', { media: { fax_option: 1 } }), 'in "media", "fax_option"'],
		[node('response', { code: '486' }), '"code" must be a whole number, not "486"'],
		[[node('hangup', {}), node('hangup', {})], 'The answer contains 2 flows; return one'],
	])('%j', async (flow, words) => {
		expect((await build(flow)).message).toContain(words);
	});

	it.each<[string, IDataObject]>([
		['unknown keys of data', user({ note: { any: 1 } })],
		['a module that says where its ID is', node('user', { var: 'x' })],
		['a chain without children', node('sleep', { duration: 2, unit: 's' })],
		['a node that says that it is skipped', node('hangup', { skip_module: true })],
		[
			'a group',
			node('ring_group', {
				endpoints: [{ endpoint_type: 'user', id: 'a', delay: 0 }],
				strategy: 'single',
			}),
		],
	])('but not %s', async (_, flow) => {
		expect((await build(flow)).items).toMatchObject([flow]);
	});

	it('and takes 100 modules in a row, and 1,000 children, with the fault in the last of them', async () => {
		let chain = user({});
		for (let depth = 0; depth < 100; depth++) chain = behind(chain);
		const children = Object.fromEntries(Array.from({ length: 1000 }, (_, key) => [key, user({})]));
		const wide: IDataObject = { ...node('menu', { id: 'm' }), children };
		expect((await build(chain)).message).toBeUndefined();
		expect((await build(wide)).message).toBeUndefined();
		Object.assign(children, { 999: node('user', { id: 1 }) });
		expect((await build(wide)).message).toContain(`at "children.999": ${ofUser}`);
	});

	it('and completes a flow at every depth', async () => {
		const flow = node('resources', { to_did: '+12125550123' });
		const given = { ...flow, children: { _: { module: 'hangup' } } };
		const children = { _: { ...node('hangup', {}), children: {} } };
		expect((await build(given)).items).toEqual([{ ...flow, children }]);
	});
});
