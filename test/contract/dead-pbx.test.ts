import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type * as waiting from '../../nodes/VirtualPbx/triggers/waiting';
import { forgetLogins } from '../../nodes/VirtualPbx/auth/exchange';
import { forgetOutages } from '../../nodes/VirtualPbx/transport/patience';
import { OLD_FLOW, startCallflowPbx, watchWarnings } from '../support/callflowPbx';
import type { CallflowPbx } from '../support/callflowPbx';
import { startTrigger, storeCredential } from '../support/core';
import type { StoredCredential, TestTrigger } from '../support/core';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedPbx, Script } from '../support/scriptedPbx';
import { realWaits, shortWaiting as mockedWaiting } from '../support/shortWaiting';

jest.mock('../../nodes/VirtualPbx/triggers/waiting', () => {
	const path = '../../nodes/VirtualPbx/triggers/waiting';
	return mockedWaiting(jest.requireActual<typeof waiting>(path));
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

/** Milliseconds that something took. */
async function timed(work: () => Promise<unknown>): Promise<number> {
	const begin = Date.now();
	await work();
	return Date.now() - begin;
}

const EVENTS = { events: ['started', 'answered', 'ended'] };

describe('event triggers of a PBX that takes requests and never answers', () => {
	let dead: ScriptedPbx;
	let credential: StoredCredential;
	const silence: Script = () => ({ raw: () => undefined });
	beforeEach(async () => {
		realWaits.length = 0;
		forgetLogins();
		forgetOutages();
		dead = await startScriptedPbx(silence);
		credential = await storeCredential({
			baseUrl: dead.url,
			login: 'd',
			password: 'p',
			realm: 'r',
		});
	});
	afterEach(async () => await dead.close());

	const put = async (staticData = {}) =>
		await startTrigger({ type: 'virtualPbxTrigger', credential, parameters: EVENTS, staticData });

	it('holds n8n’s start up for 10 s, whatever the number of triggers', async () => {
		const triggers = await Promise.all(Array.from({ length: 6 }, async () => await put()));
		const first = await timed(
			async () => await triggers[0]?.activate('init').catch(() => undefined),
		);
		expect(first).toBeLessThan(11_000);
		expect(Math.max(...realWaits)).toBeLessThan(10_000);
		const rest = await timed(async () => {
			for (const trigger of triggers.slice(1))
				await trigger.activate('init').catch(() => undefined);
		});
		expect(rest).toBeLessThan(3000);
		await Promise.all(triggers.map(async (trigger) => await trigger.close()));
	}, 60_000);

	it('holds a deactivation up for 30 s, after which the log says what stays', async () => {
		const nodeId = randomUUID();
		const own = await startTrigger({
			type: 'virtualPbxTrigger',
			credential,
			parameters: EVENTS,
			nodeId,
		});
		own.staticData = {
			workflowId: 'test-workflow',
			nodeId,
			url: own.url(),
			secret: 'a'.repeat(64),
			shown: { w1: 'x' },
			sent: {},
		};
		const took = await timed(async () => await own.deactivate());
		expect(took).toBeLessThan(30_000);
		expect(Math.max(...realWaits)).toBeLessThan(30_000);
		expect(own.log).toEqual([expect.stringContaining(own.url())]);
		await own.close();
	}, 60_000);
});
