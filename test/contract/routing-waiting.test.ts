import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type * as waiting from '../../nodes/VirtualPbx/triggers/waiting';
import { forgetOutages } from '../../nodes/VirtualPbx/transport/patience';
import { OLD_FLOW, startCallflowPbx, watchWarnings } from '../support/callflowPbx';
import type { CallflowPbx } from '../support/callflowPbx';
import { storeCredential } from '../support/core';
import type { TestTrigger } from '../support/core';

/** All that is waited for, in this share of its real time. */
const SHARE = 1 / 10;

jest.mock('../../nodes/VirtualPbx/triggers/waiting', () => {
	const actual = jest.requireActual<typeof waiting>('../../nodes/VirtualPbx/triggers/waiting');
	const shorten = (budget: { until: number }) => {
		budget.until = Date.now() + (budget.until - Date.now()) * SHARE;
		return budget;
	};
	return {
		...actual,
		beginActivation: (context: never) => shorten(actual.beginActivation(context)),
		deactivationBudget: () => shorten(actual.deactivationBudget()),
	};
});

/** A PBX that takes every connection and never says a word. */
async function startSilence() {
	const sockets = new Set<Socket>();
	const server: Server = createServer((socket) => void sockets.add(socket));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		connections: () => sockets.size,
		close: () => {
			for (const socket of sockets) socket.destroy();
			server.close();
		},
	};
}

describe('a PBX that takes every connection and never answers', () => {
	let silence: Awaited<ReturnType<typeof startSilence>>;
	let pbx: CallflowPbx;
	let warnings: string[];
	const open: TestTrigger[] = [];
	const make = async (index = 0) => {
		const trigger = await pbx.makeTrigger(
			{},
			{ webhookId: `route-${index}`, credential: await accountAt(silence.url) },
		);
		open.push(trigger);
		return trigger;
	};
	const accountAt = async (baseUrl: string) =>
		await storeCredential({ baseUrl, login: 'demo', password: 'secret', realm: 'demo.test' });

	beforeAll(async () => (pbx = await startCallflowPbx()));
	afterAll(async () => await pbx.close());
	beforeEach(async () => {
		forgetOutages();
		pbx.reset();
		warnings = watchWarnings();
		silence = await startSilence();
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		silence.close();
		for (const trigger of open.splice(0)) await trigger.close();
	});

	it('is asked once for six connected workflows at the start of n8n, which all keep their routes', async () => {
		const triggers = await Promise.all([1, 2, 3, 4, 5, 6].map(make));
		for (const trigger of triggers) await trigger.activate('init');
		expect(silence.connections()).toBeLessThanOrEqual(1);
		expect(warnings).toHaveLength(6);
		expect(warnings[5]).toContain('whether the callflow is connected could not be checked');
	});

	it('ends the wait of a person who activates, and changes nothing', async () => {
		await expect((await make()).activate()).rejects.toThrow('No answer from the PBX');
	});

	it('ends the wait of a deactivation, which says what stays, and keeps it for the next time', async () => {
		const trigger = await pbx.makeTrigger();
		open.push(trigger);
		await trigger.activate();
		pbx.fault = () => ({ delayMs: 60_000 });
		await trigger.deactivate();
		expect(warnings.join()).toMatch(
			/callflow cf1 still asks this node at .* No answer from the PBX/,
		);
		expect(trigger.staticData.connection).toMatchObject({ callflowId: 'cf1' });
		pbx.fault = () => undefined;
		await trigger.deactivate();
		expect(pbx.flowOf()).toEqual(OLD_FLOW);
	});
});
