import fc from 'fast-check';
import { NodeHelpers } from 'n8n-workflow';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { defineSteps } from '../../../../nodes/VirtualPbx/parameters/steps';
import { flowFault, webserverOf } from '../../../../nodes/VirtualPbx/pbx/callflows/flow';
import { checkAnswer, answerOfSteps } from '../../../../nodes/VirtualPbx/pbx/pivot/answer';
import { checkAnswer as checkInSandbox } from '../../../../sandbox/routing/answer';

const types = ['extension', 'id', 'device', 'voicemail', 'callflow', 'play'];
const loose = fc.oneof(
	fc.string({ maxLength: 4 }),
	fc.integer(),
	fc.double(),
	fc.boolean(),
	fc.constantFrom(null, undefined, '', ' ', '007', '20', '-1', '1.5', [], {}),
);
const row = fc.record(
	{
		type: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...types) }, loose),
		...{ extension: loose, id: loose, filename: loose, timeout: loose, delay: loose },
		strategy: fc.oneof(fc.constantFrom('simultaneous', 'single'), loose),
	},
	{ requiredKeys: [] },
);
describe('an answer built from steps', () => {
	it('passes an independent check of §2.3 whenever it has no problems', () => {
		fc.assert(
			fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
				const { answer, problems } = answerOfSteps({ step: rows });
				if (problems.length > 0) return;
				expect(checkInSandbox(answer).problems).toEqual([]);
			}),
			{ numRuns: 2000 },
		);
	});

	it('leaves out what the kind of step does not have', () => {
		const step = [{ type: 'extension', extension: '007', id: 'left over', ringing: {} }];
		expect(answerOfSteps({ step }).answer).toEqual({
			operations: [{ type: 'extension', extension: '007' }],
		});
	});

	it('names the step and what is wrong with it', () => {
		const step = [
			{ type: 'extension', extension: '100', ringing: { timeout: -1, strategy: 'both' } },
			{ type: 'device', id: '' },
			{ type: 'fax' },
		];
		expect(answerOfSteps({ step }).problems).toEqual([
			"Step 1 (call user by extension): 'Timeout' must be a whole number of seconds of at least 0, not -1",
			'Step 1 (call user by extension): \'Strategy\' must be simultaneous or single, not "both"',
			"Step 2 (call device): 'ID' is empty",
			'Step 3: \'Type\' must be one of device, extension, id, callflow, hangup, play, voicemail, not "fax"',
		]);
	});
});

describe('an answer that a workflow gives', () => {
	const operation = { type: 'extension', extension: 100 };
	const whole = { operations: [operation] };

	it.each([
		['an object with operations', whole],
		['a list of operations', [operation]],
		['items with a whole answer', [whole]],
		['JSON text', JSON.stringify(whole)],
		['JSON text of a list', JSON.stringify([operation])],
		['JSON text in the only field of an item', [{ output: JSON.stringify(whole) }]],
		[
			'JSON in a code fence',
			{ output: '```json\n{"operations":[{"type":"extension","extension":100}]}\n```' },
		],
		['operations as JSON text', { operations: JSON.stringify([operation]) }],
		['the answer in a field of its own', { answer: whole }],
	])('is understood as %s', (_, value) => {
		expect(checkAnswer(value)).toEqual({ answer: whole, problems: [], notes: [] });
	});

	const flat = { problems: [], notes: [] };
	it.each<[string, unknown, object]>([
		['a bare user operation, and keeps that form', operation, { answer: operation, ...flat }],
		['one among items that are none', [{ note: 1 }, whole], { answer: whole, ...flat }],
		[
			'the first of several answers, which is said',
			[whole, { operations: [] }],
			{ answer: whole, notes: ['2 answers arrived; the first one is used'] },
		],
		[
			'fields that the contract does not know, with the types that it wants',
			{
				operations: [
					{ type: 'voicemail', extension: 100, greeting: 1 },
					{ type: 'id', id: 5, timeout: '20', delay: '' },
				],
				meta: 1,
			},
			{
				answer: {
					operations: [
						{ type: 'voicemail', extension: '100', greeting: 1 },
						{ type: 'id', id: '5', timeout: 20 },
					],
					meta: 1,
				},
			},
		],
	])('may hold %s', (_, value, expected) => {
		expect(checkAnswer(value)).toMatchObject(expected);
	});

	it('has at most 1000 steps', () => {
		const steps = (count: number) => Array.from({ length: count }, () => ({ type: 'id', id: 'a' }));
		expect(checkAnswer(steps(1000)).problems).toEqual([]);
		const problems = ['The answer contains 1001 steps; use at most 1000'];
		expect(checkAnswer(steps(1001)).problems).toEqual(problems);
		expect(answerOfSteps({ step: steps(1001) }).problems).toEqual(problems);
	});

	it.each([
		...[undefined, null, '', 'hello', 5, {}, [], [{}], [undefined], '{"operations":'],
		...[{ operations: [] }, { operations: {} }, { operations: 'x' }, { operations: [null] }],
		...[{ data: 1, more: 2 }, { message: 'Workflow was started' }, { type: '__proto__' }],
	])('is refused: %j', (value) => {
		expect(checkAnswer(value).problems.length).toBeGreaterThan(0);
	});
});

describe('flowFault', () => {
	it.each([[null], [[]], ['text'], [7], [undefined]])('refuses %j', (value) => {
		expect(flowFault(value)).toBe('a flow must be a JSON object');
	});

	it.each([
		[{}, 'the flow has no "module"'],
		[{ module: ' ' }, 'the flow has no "module"'],
		[{ module: 'a', data: [] }, '"data" must be a JSON object'],
		[{ module: 'a', children: [] }, '"children" must be a JSON object, or {} if there are none'],
		[
			{ module: 'a', children: { _: { module: 'b', children: { 1: {} } } } },
			'at "children._.children.1": the flow has no "module"',
		],
	])('refuses %j and says where', (value, fault) => {
		expect(flowFault(value)).toBe(fault);
	});

	it('refuses more modules in a row than the stack has room for', () => {
		const chain = (length: number): IDataObject => {
			let tree: IDataObject = { module: 'play' };
			for (let count = 1; count < length; count++) tree = { module: 'play', children: { _: tree } };
			return tree;
		};
		expect(flowFault(chain(1001))).toBeUndefined();
		expect(flowFault(chain(1002))).toBe('the flow has more than 1000 modules one after another');
	});
});

describe('webserverOf (§2.2: host and path)', () => {
	it.each([
		['https://n8n.example.com/webhook/route', 'n8n.example.com/webhook/route'],
		['http://n8n.example.com:5678/webhook/route/', 'n8n.example.com:5678/webhook/route/'],
		[' HTTPS://N8N.example.com ', 'n8n.example.com'],
		['n8n.example.com/a', 'n8n.example.com/a'],
		['127.0.0.1:5678/webhook/pbx-routing', '127.0.0.1:5678/webhook/pbx-routing'],
		['https://[::1]:8080/a', '[::1]:8080/a'],
		['http://a.example:443/b', 'a.example:443/b'],
		['https://a.example:80/b', 'a.example:80/b'],
		['https://телефон.example/b', 'xn--e1aarjeur.example/b'],
		['https://a.example/caf%C3%A9', 'a.example/caf%C3%A9'],
	])('makes %s to %s', (address, webserver) => {
		const scheme = /^ *http:/i.test(address) ? 'http' : 'https';
		expect(webserverOf(address)).toEqual({ webserver, scheme });
	});

	it.each([
		['', 'is empty'],
		['https://', 'is empty'],
		['ftp://a.example/b', 'must begin with https:// or http://, not ftp://'],
		['https://a.example/b?c=d', 'must not contain "?"'],
		['https://a.example/b#c', 'must not contain "#"'],
		['https://a.example/b&c=d', 'must not contain "&"'],
		['https://me:secret@a.example/b', 'must not contain a user name or password'],
		['https://a example/b', "isn't a web address"],
		['{dflow}', "isn't a web address"],
		['https://:80/', "isn't a web address"],
		['https://a﹠b.example/c', "isn't a web address"],
		['https://a︷b.example/c', "isn't a web address"],
	])('refuses %j', (address, fault) => {
		expect(webserverOf(address)).toEqual({ fault: expect.stringContaining(fault) });
	});
});

const [collection] = defineSteps({ name: 'steps', displayName: 'Steps' }).property.options ?? [];
const fields = (collection as { values: INodeProperties[] }).values;

/** The fields that the editor shows for a step; those that it marks when empty with an asterisk. */
const shown = (step: object) =>
	fields
		.filter((field) => NodeHelpers.displayParameter({ ...step } as never, field, null, null))
		.map(({ name, required }) => `${name}${required ? '*' : ''}`);

it.each<[string, string[]]>([
	['device', ['id*', 'ringing']],
	['extension', ['extension*', 'ringing']],
	['id', ['id*', 'ringing']],
	['callflow', ['extension*']],
	['hangup', []],
	['play', ['filename*']],
	['voicemail', ['extension*']],
	// Where the kind comes from an expression, everything is shown, and nothing required.
	['={{ $json.type }}', ['extension', 'id', 'filename', 'ringing']],
])('the editor shows for the step %s what belongs to it, and nothing else', (type, expected) => {
	expect(shown({ type })).toEqual(['type', ...expected]);
	const { options } = fields.find(({ name }) => name === 'type') ?? {};
	if (!type.startsWith('='))
		expect(options).toContainEqual(expect.objectContaining({ value: type }));
});
