import type { IDataObject, INode } from 'n8n-workflow';
import type { User } from '../../sandbox/model/types';
import { checkAnswer } from '../../sandbox/routing/answer';
import type { Credential, N8nClient } from '../../tools/n8n';
import { startBed } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import {
	ask,
	callflowNamed,
	DEADLINE_MS,
	fail,
	makeFlow,
	routing,
	routingTrigger,
	stopFlow,
	wait,
} from '../support/routing';
import { platformField } from '../support/profile';

/** On Kazoo, a routing answer is a flow. */
const isKazoo = platformField().dialect === 'kazoo';
const CALLER = '12125550145';
const NUMBER = '12125550102';
const FALLBACK = { operations: [{ type: 'voicemail', extension: '101' }] };
const STEPS = [{ type: 'extension', extension: '100' }];
const RIGHT = { operations: STEPS };

describe('a workflow that routes live calls', () => {
	let n8n: N8nClient;
	let pbx: TestPbx;
	let credential: Credential;
	const open: string[] = [];

	beforeAll(async () => ({ n8n, pbx, credential } = await startBed()));
	afterEach(async () => {
		for (const id of open.splice(0)) await n8n.deactivate(id);
		await pbx.client.reset();
	});

	const start = async (parts: INode[], settings: IDataObject = {}) => {
		const flow = await makeFlow(n8n, parts, settings);
		open.push(flow.id);
		await n8n.activate(flow.id);
		return flow;
	};
	/** Builds a trigger that connects itself to the sandbox's callflow for routing. */
	const connecting = async (parameters: IDataObject = {}, name = 'Web routing') => {
		const { id } = await callflowNamed(pbx, name);
		const callflowId = { __rl: true, mode: 'id', value: id };
		return routingTrigger({ connect: 'callflow', callflowId, ...parameters }, credential);
	};
	/** Places a call, and another one if a busy machine took the whole deadline, so that the fallback was the answer. */
	const call = async (from = CALLER): Promise<IDataObject> => {
		pbx.sandbox.pbx.routing.clear();
		const view = await pbx.client.call({
			from,
			to: NUMBER,
			ring_seconds: 1,
			talk_seconds: 1,
			speed: 50,
			wait: 'ended',
		});
		return routingRequests().some(({ ms }) => ms >= DEADLINE_MS) ? await call(from) : view;
	};
	const rungNumbers = (view: IDataObject) =>
		(view.legs as IDataObject[])
			.filter(({ direction }) => direction === 'outbound')
			.map(({ to }) => to);
	const routingRequests = () => pbx.sandbox.pbx.routing.list();

	describe('called by the sandbox', () => {
		it('rings the extensions from Respond, in order', async () => {
			const steps = [
				{
					type: 'extension',
					extension: '={{ $json.to.slice(-4) === "0102" ? 102 : 100 }}',
					ringing: { timeout: 5 },
				},
				{ type: 'voicemail', extension: '101' },
			];
			await start([await connecting({ responseMode: 'responseNode' }), routing('respond', steps)]);
			const view = await call();
			expect(routingRequests()).toMatchObject([
				{
					status: 200,
					problems: [],
					outcome: 'executed',
					...(isKazoo
						? { answer: expect.stringMatching(/^{"module":"user".*"timeout":5.*"voicemail"/) }
						: {
								operations: [
									{ type: 'extension', extension: 102, timeout: 5 },
									{ type: 'voicemail', extension: '101' },
								],
							}),
				},
			]);
			expect(new Set(rungNumbers(view))).toEqual(new Set(['102']));
			expect(view.result).toBe('answered');
		});

		it.each<[string, (employee?: User) => IDataObject[], string]>([
			[
				'a user by ID',
				(employee) => [{ type: 'id', id: employee?.id, ringing: { strategy: 'single', delay: 1 } }],
				'answered',
			],
			['a device', (employee) => [{ type: 'device', id: employee?.devices[0]?.id }], 'answered'],
			['another callflow', () => [{ type: 'callflow', extension: '12125550104' }], 'answered'],
			[
				'a file, then a mailbox',
				() => [
					{ type: 'play', filename: 'after-hours.wav' },
					{ type: 'voicemail', extension: '100' },
				],
				'voicemail',
			],
			...(isKazoo ? [['the end', () => [{ type: 'hangup' }], 'cancelled'] as never] : []),
		])("sends the call to %s, as in the last node's answer", async (_, stepsOf, result) => {
			const employee = pbx.sandbox.pbx.firstAccount
				.users()
				.find(({ extension }) => extension === '100');
			await start([
				await connecting({ options: { requestMethod: 'POST' } }),
				routing('buildAnswer', stepsOf(employee)),
			]);
			const view = await call();
			expect(routingRequests()).toMatchObject([
				{ method: 'POST', status: 200, problems: [], outcome: 'executed' },
			]);
			expect(view.result).toBe(result);
		});
	});

	describe('whatever the workflow does', () => {
		const byNode = { responseMode: 'responseNode' };
		it.each<[string, INode[], unknown, string | null]>([
			['Build Answer', [routingTrigger(), routing('buildAnswer', STEPS)], RIGHT, null],
			[
				'Respond, then a slow node',
				[routingTrigger(byNode), routing('respond', STEPS), wait(3)],
				RIGHT,
				null,
			],
			['Immediately', [routingTrigger({ responseMode: 'onReceived' }), fail], FALLBACK, null],
			['a failing node', [routingTrigger(), fail], FALLBACK, 'The workflow failed'],
			[
				'a Respond operation that is never reached',
				[routingTrigger(byNode), stopFlow, routing('respond', STEPS)],
				FALLBACK,
				'There is no answer',
			],
			[
				'a slow node',
				[routingTrigger({ deadline: 1.5 }), wait(3), routing('buildAnswer', STEPS)],
				FALLBACK,
				'No answer within the deadline of 1.5 s',
			],
			[
				'a wait stored in the database',
				[routingTrigger(), wait(100), routing('buildAnswer', STEPS)],
				FALLBACK,
				'The answer has neither operations nor a type',
			],
		])('responds: %s', async (_, parts, body, reason) => {
			const { url } = await start(parts);
			const by = reason === null ? 'workflow' : 'fallback';
			expect(await ask(`${url}?Call-ID=1`)).toMatchObject({
				status: 200,
				type: 'application/json; charset=utf-8',
				by,
				reason,
				body,
			});
		});

		it('responds when n8n times out the execution', async () => {
			const { url } = await start(
				[routingTrigger({ deadline: 4 }), wait(6), routing('buildAnswer', STEPS)],
				{ executionTimeout: 1 },
			);
			expect(await ask(url)).toMatchObject({ status: 200, by: 'fallback', body: FALLBACK });
		});

		it('finishes the execution when the PBX disconnects before the response', async () => {
			const flow = await start([routingTrigger(), wait(1), routing('buildAnswer', STEPS)]);
			await expect(ask(flow.url, { signal: AbortSignal.timeout(300) })).rejects.toThrow();
			const [execution] = await n8n.waitForExecutions(flow.id);
			expect(execution?.status).toBe('success');
			expect((await ask(flow.url)).body).toEqual(RIGHT);
		});

		it('sends the same long answer whether or not the PBX accepts compression', async () => {
			const steps = Array.from({ length: 20 }, (_, index) => ({
				type: 'device',
				id: String(index).padStart(32, '0'),
				ringing: { timeout: 10, strategy: 'single' },
			}));
			const { url } = await start([routingTrigger(), routing('buildAnswer', steps)]);
			for (const encoding of ['gzip', 'br', 'identity']) {
				const { body } = await ask(url, { headers: { 'accept-encoding': encoding } });
				expect(checkAnswer(body).problems).toEqual([]);
				expect((body as { operations: unknown[] }).operations).toHaveLength(20);
			}
		});
	});

	describe('that connects itself', () => {
		it('follows publishing: connected, another callflow, manual, unpublished', async () => {
			const first = await callflowNamed(pbx, 'Main number');
			const second = await callflowNamed(pbx, 'Sales group');
			const flow = await makeFlow(n8n, [
				await connecting({}, 'Main number'),
				routing('buildAnswer', STEPS),
			]);
			open.push(flow.id);
			const choose = async (parameters: IDataObject) => {
				await n8n.changeNode(flow.id, 'Call', parameters);
				await n8n.activate(flow.id);
			};
			await n8n.activate(flow.id);
			expect(await callflowNamed(pbx, 'Main number')).toMatchObject({
				flow: { module: 'pivot', children: { _: first.flow } },
			});
			await choose({ callflowId: { __rl: true, mode: 'id', value: second.id } });
			expect(await callflowNamed(pbx, 'Main number')).toEqual(first);
			expect(await callflowNamed(pbx, 'Sales group')).toMatchObject({ flow: { module: 'pivot' } });
			await choose({ connect: 'manual' });
			expect(await callflowNamed(pbx, 'Sales group')).toEqual(second);
			await choose({ connect: 'callflow' });
			await n8n.deactivate(flow.id);
			expect(await callflowNamed(pbx, 'Sales group')).toEqual(second);
		});
	});
});
