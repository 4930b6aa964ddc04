import type { N8nClient } from '../../tools/n8n';
import { connect } from '../support/e2e';
import { ask, fail, makeFlow, routing, routingTrigger, wait } from '../support/routing';
import type { Part } from '../support/routing';
import { faultsOf } from '../unit/pivot/rules';

const FALLBACK = { operations: [{ type: 'voicemail', extension: '101' }] };
const STEPS = [{ type: 'extension', extension: '100' }];

describe('answers to routing requests at the edges, in a real n8n', () => {
	let n8n: N8nClient;
	const open: string[] = [];
	beforeAll(async () => (n8n = await connect()));
	afterEach(async () => {
		for (const id of open.splice(0)) await n8n.deleteWorkflow(id);
	});

	const startFlow = async (parts: Part[]) => {
		const flow = await makeFlow(n8n, parts);
		open.push(flow.id);
		await n8n.activate(flow.id);
		return flow;
	};

	it('gives a long answer to a PBX that takes compressed ones, as to any other', async () => {
		const steps = Array.from({ length: 20 }, (_, index) => ({
			type: 'device',
			id: String(index).padStart(32, '0'),
			ringing: { timeout: 10, strategy: 'single' },
		}));
		const { url } = await startFlow([routingTrigger(), routing('buildAnswer', steps)]);
		const answers = await Promise.all(
			['gzip', 'br', 'identity'].map(
				async (encoding) => await ask(url, { headers: { 'accept-encoding': encoding } }),
			),
		);
		for (const { body } of answers) {
			expect(faultsOf(body)).toEqual([]);
			expect((body as { operations: unknown[] }).operations).toHaveLength(20);
		}
	});

	it('refuses a way to respond that is known only when a call comes', async () => {
		const flow = await makeFlow(n8n, [
			routingTrigger({ responseMode: '={{ "responseNode" }}' }),
			routing('respond', STEPS),
		]);
		open.push(flow.id);
		await expect(n8n.activate(flow.id)).rejects.toThrow('Respond must not be an expression');
	});

	it('is not activated for a Respond that is not there', async () => {
		const flow = await makeFlow(n8n, [routingTrigger({ responseMode: 'responseNode' })]);
		open.push(flow.id);
		await expect(n8n.activate(flow.id)).rejects.toThrow('no node after this one responds');
	});

	it('tells in log and header of fallback steps that could not be sent', async () => {
		const fallback = {
			step: [
				{ type: 'extension', extension: '={{ $json.query.agent }}' },
				{ type: 'voicemail', extension: '101' },
			],
		};
		const { url } = await startFlow([routingTrigger({ fallback }), fail]);
		const response = await fetch(url);
		expect(await response.json()).toEqual(FALLBACK);
		expect(response.headers.get('x-routing-reason')).toMatch(
			/The workflow failed; Step 1 .*Extension is empty/,
		);
	});

	it.each([
		['buildAnswer', 'lastNode'],
		['respond', 'responseNode'],
	] as const)(
		'shows in the execution that an answer came too late: %s',
		async (operation, mode) => {
			const flow = await startFlow([
				routingTrigger({ deadline: 1, responseMode: mode }),
				wait(2),
				routing(operation, STEPS),
			]);
			expect((await ask(flow.url)).body).toEqual(FALLBACK);
			const [execution] = await n8n.waitForExecutions(flow.id);
			expect(execution?.status).toBe('success');
			expect(execution?.data.resultData.runData[operation]?.[0]?.hints).toEqual([
				expect.objectContaining({ message: expect.stringMatching(/s late/) }),
			]);
		},
	);
});
