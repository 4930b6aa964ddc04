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
			parameters: { ...parameters, flow: typeof flow === 'string' ? flow : JSON.stringify(flow) },
		});
		return { items: run.items, message: run.error?.message };
	};
	const behind = (node: object) => ({
		module: 'play',
		data: { id: 'a' },
		children: { _: node },
	});

	it.each<[unknown, string]>([
		[{ module: 'nothing_like_it', data: {} }, 'Kazoo has no module "nothing_like_it"'],
		[{ module: 'User', data: { id: 'a' } }, 'Kazoo has no module "User"; write "user"'],
		[{ module: ' user', data: { id: 'a' } }, 'Kazoo has no module " user"; write "user"'],
		[
			{ module: 'user', data: { id: 5 } },
			'in "data" of the module user, "id" must be text that isn\'t empty, not 5',
		],
		[{ module: 'user', data: {} }, 'in "data" of the module user, "id" is missing'],
		[
			behind({ module: 'user', data: { id: 'a', timeout: '20' } }),
			'at "children._": in "data" of the module user, "timeout" must be a whole number, not "20"',
		],
		[
			behind({ module: 'user', data: { id: 'a', timeout: null } }),
			'at "children._": in "data" of the module user, "timeout" must be a whole number, not null',
		],
		[{ module: 'user', data: null }, '"data" must be a JSON object'],
		[
			{ module: 'voicemail', data: { id: '100', action: 'compose' } },
			'in "data" of the module voicemail, "id" must be text of 32 characters, not "100"',
		],
		[
			{ module: 'voicemail', data: { id: 'a'.repeat(32), action: 'leave' } },
			'"action" must be one of check, compose, not "leave"',
		],
		[
			{ module: 'ring_group', data: { endpoints: [{ id: 'a' }] } },
			'in "endpoints", "endpoint_type" is missing',
		],
		[
			{ module: 'ring_group', data: { endpoints: [] } },
			'"endpoints" must be a list that isn\'t empty, not []',
		],
		[{ module: 'tts', data: { text: '' } }, '"text" must be text of 1 to 1000 characters, not ""'],
		[{ module: 'tts', data: { text: 'x'.repeat(1001) } }, '"text" must be text of 1 to 1000'],
		[{ module: 'language', data: { language: 'english' } }, 'a language such as en or en-us'],
		[{ module: 'sleep', data: { duration: 1.5 } }, '"duration" must be a whole number'],
		[
			{ module: 'resources', data: { outbound_flags: ['a', 1] } },
			'"outbound_flags" must be a list, each entry text, not ["a",1]',
		],
		[{ module: 'pivot', data: { voice_url: '{dflow}&x' } }, '"voice_url" must be a web address'],
		[
			{ module: 'webhook', data: { uri: 'http://localhost:5678/a' } },
			'a web address of another machine',
		],
		[{ module: 'record_call', data: { action: 'start', url: '' } }, '"url" must be a web address'],
		[{ module: 'user', data: { id: 'a', timeout: 1e21 } }, '"timeout" must be a whole number'],
		[{ module: 'audio_macro', data: { macros: [{ macro: 'tone', repeat: '2' }] } }, '"repeat"'],
		[{ module: 'receive_fax', data: { media: { fax_option: 1 } } }, 'in "media", "fax_option"'],
		[{ module: 'response', data: { code: '486' } }, '"code" must be a whole number, not "486"'],
		[
			[
				{ module: 'hangup', data: {} },
				{ module: 'hangup', data: {} },
			],
			'The answer contains 2 flows; return one',
		],
	])('%j', async (flow, words) => {
		const { message } = await build(flow);
		expect(message).toContain(words);
	});

	it.each<[string, IDataObject]>([
		['unknown keys of data', { module: 'user', data: { id: 'a', note: { any: 1 } } }],
		['a module that says where its ID is', { module: 'user', data: { var: 'x' } }],
		['a chain without children', { module: 'sleep', data: { duration: 2, unit: 's' } }],
		['a node that says that it is skipped', { module: 'hangup', data: { skip_module: true } }],
		[
			'a group',
			{
				module: 'ring_group',
				data: { endpoints: [{ endpoint_type: 'user', id: 'a', delay: 0 }], strategy: 'single' },
			},
		],
	])('but not %s', async (_, flow) => {
		expect((await build(flow)).items).toMatchObject([flow]);
	});

	it('and takes 100 modules in a row, and 1,000 children, with the fault in the last of them', async () => {
		let chain: IDataObject = { module: 'user', data: { id: 'a' } };
		for (let depth = 0; depth < 100; depth++) chain = behind(chain);
		const node = { module: 'user', data: { id: 'a' } };
		const children = Object.fromEntries(Array.from({ length: 1000 }, (_, key) => [`${key}`, node]));
		const wide: IDataObject = { module: 'menu', data: { id: 'm' }, children };
		expect((await build(chain)).message).toBeUndefined();
		expect((await build(wide)).message).toBeUndefined();
		Object.assign(children, { 999: { module: 'user', data: { id: 1 } } });
		expect((await build(wide)).message).toContain(
			'at "children.999": in "data" of the module user',
		);
	});
});
