import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardResponse } from '../../../../nodes/VirtualPbx/triggers/routing/guardResponse';
import { listenForWebhooks } from '../../../support/core/endpoint';
import type { Reply, Rules } from '../../../../nodes/VirtualPbx/triggers/routing/guardResponse';

type Guarded = Parameters<typeof guardResponse>[0];

const fallback = { operations: [{ type: 'voicemail', extension: '1' }] };
const answer = { operations: [{ type: 'extension', extension: '100' }] };

const TOO_LATE = 'No answer within the deadline of 0.15 s';

describe('a guarded response', () => {
	let server: Awaited<ReturnType<typeof listenForWebhooks>>;
	let act: (response: Guarded) => unknown;
	let rules: Partial<Rules>;
	const outcomes: Reply[] = [];

	beforeEach(async () => {
		outcomes.length = 0;
		rules = {};
		server = await listenForWebhooks(async (_, response) => {
			const { deadlineMs = 60_000 } = rules;
			guardResponse(response as unknown as Guarded, {
				deadlineMs,
				answerBefore: Date.now() + deadlineMs,
				fallback,
				dropped: [],
				report: (outcome) => outcomes.push(outcome),
				...rules,
			});
			await act(response as unknown as Guarded);
		});
	});
	afterEach(async () => await server.close());

	async function ask() {
		const response = await fetch(server.url);
		const [type, by, reason] = ['content-type', 'x-routing-answer', 'x-routing-reason'].map(
			(name) => response.headers.get(name),
		);
		return { status: response.status, type, by, reason, body: (await response.json()) as unknown };
	}
	const type = 'application/json; charset=utf-8';
	const sent = (body: object, by: string, reason: string | null) => ({
		...{ status: 200, type, by, reason, body },
	});

	describe('on a platform with a form of its own', () => {
		const flow = { module: 'user', data: { id: 'u' }, children: {} };
		const rewritten = { module: 'rewritten', data: {}, children: {} };
		beforeEach(() => {
			rules = { encode: async (reply) => await sleep(5, { ...reply, answer: rewritten }) };
		});

		it.each<[string, (response: Guarded) => unknown, string, string | null]>([
			['operations', (response) => response.json(answer), 'workflow', null],
			['a flow', (response) => response.json([flow]), 'workflow', null],
			[
				'a flow without a module below',
				(response) => response.json({ ...flow, children: { _: {} } }),
				'fallback',
				'The flow isn\'t valid: at "children._": the flow has no "module"',
			],
			['nothing', () => undefined, 'fallback', TOO_LATE],
		])('sends %s in that form, once', async (_, respond, by, reason) => {
			if (reason === TOO_LATE) rules.deadlineMs = 150;
			act = (response) => {
				respond(response);
				respond(response);
			};
			expect(await ask()).toEqual(sent(rewritten, by, reason));
			expect(outcomes).toHaveLength(1);
		});

		it('is the only one that takes a flow', async () => {
			rules = {};
			act = (response) => response.json(flow);
			expect(await ask()).toEqual(
				sent(fallback, 'fallback', 'The answer has neither operations nor a type'),
			);
		});
	});

	it.each<[string, Partial<Rules>]>([
		['the workflow gives nothing', {}],
		['it is the answer to every call', { immediate: { operations: [] } }],
	])('says 503 for a fallback without a step when %s', async (_, given) => {
		rules = { fallback: { operations: [] }, ...given };
		act = (response) => response.json({});
		expect(await ask()).toMatchObject({ status: 503, type, body: { operations: [] } });
	});

	const end = '"extension":"100"}]}';
	it.each<[string, (response: Guarded) => unknown]>([
		['json', (response) => response.json(answer)],
		['the text of it', (response) => response.send(JSON.stringify(answer))],
		['its end', (response) => response.end(Buffer.from(JSON.stringify(answer)))],
		[
			'pieces',
			(response) => [response.write('{"operations":[{"type":"extension",'), response.end(end)],
		],
		['json after an empty end', (response) => [response.end(), response.json(answer)]],
	])('sends the answer that came by %s', async (_, way) => {
		act = way;
		expect(await ask()).toEqual(sent(answer, 'workflow', null));
		expect(outcomes).toHaveLength(1);
	});

	it.each<[string, (response: Guarded) => unknown, string]>([
		[
			'a failed workflow',
			(response) => response.status(500).json({ message: 'Error in workflow' }),
			'The workflow failed',
		],
		['an empty answer', (response) => response.json(undefined), 'There is no answer'],
		['no items', (response) => response.json([]), 'There is no answer'],
		['garbage', (response) => response.send('<html>'), 'The answer is text, but not JSON'],
		[
			'a broken rule',
			(response) => response.json({ type: 'device', id: '' }),
			"Step 1 (call device): 'ID' is empty",
		],
		['silence', () => undefined, TOO_LATE],
		['an end without a body', (response) => response.end(), TOO_LATE],
		[
			'words outside ASCII',
			(response) => response.json({ operations: [{ type: 'факс\n' }] }),
			'Step 1: \'Type\' must be one of device, extension, id, callflow, hangup, play, voicemail, not "????\\n"',
		],
	])('sends the fallback for %s', async (_, way, reason) => {
		if (reason === TOO_LATE) rules = { deadlineMs: 150 };
		act = way;
		expect(await ask()).toEqual(sent(fallback, 'fallback', reason));
		expect(outcomes).toHaveLength(1);
	});

	const step = { type: 'extension', extension: '100' };
	const nested = (levels: number) => {
		let inner: object = {};
		for (let level = 0; level < levels; level++) inner = { inner };
		return inner;
	};
	const circular: Record<string, unknown> = { ...step };
	circular.self = circular;
	const failing = () => {
		throw new Error('planted');
	};
	const unwritable: Array<[string, unknown]> = [
		['nested 20,000 deep', { ...step, more: nested(20_000) }],
		['nested 20,000 deep around its steps', { operations: [step], more: nested(20_000) }],
		['circular', circular],
		['with an ID that is a BigInt', { operations: [{ type: 'device', id: 5n }] }],
		['of a type that is a BigInt', { type: 5n }],
		['whose toJSON throws', { ...step, toJSON: failing }],
		['whose toJSON gives nothing', { ...step, toJSON: () => undefined }],
		['whose toJSON gives something else', { operations: [{ ...step, toJSON: () => 5 }] }],
		[
			'with a field that throws',
			Object.defineProperty({ ...step }, 'id', { enumerable: true, get: failing }),
		],
	];
	it.each(unwritable)('sends the fallback for an answer %s', async (_, value) => {
		const ways = [
			(response: Guarded) => response.json(value),
			(response: Guarded) => response.send([value] as never),
			(response: Guarded) => response.json([{ operations: [value] }]),
		];
		for (const way of ways) {
			act = way;
			const answered = await ask();
			expect(answered).toEqual(sent(fallback, 'fallback', expect.any(String) as string));
			expect(answered.reason).not.toContain('No answer within');
		}
		expect(outcomes).toHaveLength(ways.length);
	});

	it('drops whatever comes after the answer, without an error', async () => {
		const late = new Promise<unknown[]>((resolve) => {
			act = async (response) => {
				response.json(answer);
				await once(response, 'close');
				resolve([
					response.setHeader('X-Late', '1'),
					response.status(500).json({ message: 'late' }),
					response.send('late'),
					response.write('late'),
					response.end('late'),
				]);
			};
		});
		expect(await ask()).toEqual(sent(answer, 'workflow', null));
		expect(await late).toHaveLength(5);
		expect(outcomes).toHaveLength(1);
	});

	it('leaves a response alone that was sent already', async () => {
		rules = { answerBefore: Date.now() + 20 };
		act = (response) => {
			response.flushHeaders();
			return sleep(60).then(() => response.destroy());
		};
		await expect(ask()).rejects.toThrow();
		expect(outcomes).toHaveLength(1);
	});

	it('notes that nobody waits any more', async () => {
		await new Promise<void>((resolve) => {
			act = async (response) => {
				request.destroy();
				await once(response, 'close');
				response.json(answer);
				resolve();
			};
			const request = get(server.url).on('error', () => undefined);
		});
		expect(outcomes).toEqual([expect.objectContaining({ source: 'nobody' })]);
	});
});
