import type { IExecuteFunctions } from 'n8n-workflow';

import { forgetLogins } from '../../nodes/VirtualPbx/auth/exchange';
import { forgetOutages } from '../../nodes/VirtualPbx/transport/patience';
import type { Budget } from '../../nodes/VirtualPbx/transport/limits';
import { openPbx } from '../../nodes/VirtualPbx/transport/pbx';
import type { Pbx } from '../../nodes/VirtualPbx/transport/pbx';
import { runNode, storeCredential } from '../support/core';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { Script, ScriptedPbx } from '../support/scriptedPbx';

let server: ScriptedPbx;
beforeEach(() => {
	forgetLogins();
	forgetOutages();
});
afterEach(async () => await server.close());

const never = { raw: () => undefined };
const LIST = { method: 'GET', path: ['callflows'] } as const;
const on =
	(end: string): Script =>
	({ path }) =>
		path.endsWith(end) ? never : undefined;

/** Does something with a PBX and a budget within a node of n8n; tells how long it took. */
async function within<T>(script: Script, budget: Budget, work: (pbx: Pbx) => Promise<T>) {
	server = await startScriptedPbx(script);
	const login = { login: 'l', password: 'password-1', realm: 'r' };
	const credential = await storeCredential({ baseUrl: server.url, ...login });
	let value: T | undefined;
	const began = Date.now();
	const node = {
		description: {
			displayName: 'Worker',
			name: 'test.worker',
			group: ['input' as const],
			version: 1,
			description: 'Works with a PBX',
			defaults: { name: 'Worker' },
			inputs: ['main' as const],
			outputs: ['main' as const],
			credentials: [{ name: 'virtualPbxApi', required: true }],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			value = await work(await openPbx(this, budget));
			return [[]];
		},
	};
	const { error } = await runNode({
		type: 'test.worker',
		types: { 'test.worker': node },
		credential,
	});
	if (error) throw error;
	return { value: value as T, ms: Date.now() - began };
}

const wordsOf = async (pbx: Pbx) => {
	const outcome = await pbx.attempt(LIST);
	return outcome.ok ? 'ok' : outcome.failure.words;
};
const OVER = 'No answer from the PBX within the time limit';

describe('a budget of time', () => {
	it('ends a request that the PBX accepts and never answers, and closes its connection', async () => {
		let isClosed = false;
		const script: Script = ({ path }) =>
			path.endsWith('/callflows')
				? { raw: (response) => void response.on('close', () => (isClosed = true)) }
				: undefined;
		const { value, ms } = await within(script, { until: Date.now() + 600 }, wordsOf);
		expect(value).toBe(OVER);
		expect(ms).toBeLessThan(5000);
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(isClosed).toBe(true);
	});

	it('ends the waiting for a login, after which nothing is sent', async () => {
		const script: Script = ({ path }) =>
			path.endsWith('/user_auth')
				? { delayMs: 1200, status: 201, body: { auth_token: 't', account_id: 'a' } }
				: undefined;
		const { value } = await within(script, { until: Date.now() + 500 }, async (pbx) => {
			const outcome = await pbx.attempt({ method: 'PUT', path: ['webhooks'], data: { name: 'x' } });
			return outcome.ok ? 'ok' : outcome.failure.words;
		});
		expect(value).toBe(OVER);
		await new Promise((resolve) => setTimeout(resolve, 1500));
		expect(server.seen('PUT', '/webhooks')).toEqual([]);
	});

	it('ends an answer in the middle', async () => {
		const script: Script = ({ path }) =>
			path.endsWith('/callflows')
				? { raw: (response) => void response.writeHead(200).write('{"data":[') }
				: undefined;
		const { value } = await within(script, { until: Date.now() + 600 }, wordsOf);
		expect(value).toBe(OVER);
	});

	it('ends a download in the middle, and the waiting for a file', async () => {
		const script: Script = ({ path }) => {
			if (path === '/rec/stalls')
				return { raw: (response) => void response.writeHead(200).write('sound') };
			return path.startsWith('/rec/') ? { status: 404, body: {} } : undefined;
		};
		const fetch = (name: string, waitMs: number) => async (pbx: Pbx) => {
			const request = { addresses: [`/rec/${name}`], waitMs };
			const outcome = await pbx.fetchFile(request, async ({ stream }) => {
				for await (const piece of stream) void piece;
				return { value: 'whole' };
			});
			return outcome.ok ? outcome.value : outcome.failure.words;
		};
		const stalled = await within(script, { until: Date.now() + 600 }, fetch('stalls', 0));
		expect(stalled.value).toBe(OVER);
		await server.close();
		const missing = await within(script, { until: Date.now() + 600 }, fetch('none', 60_000));
		expect(missing.value).toBe('The recording is not there');
		expect(missing.ms).toBeLessThan(5000);
	});

	it('may be moved while it runs, to an earlier or a later end', async () => {
		const budget = { until: Date.now() + 60_000 };
		setTimeout(() => (budget.until = Date.now()), 300);
		const earlier = await within(on('/callflows'), budget, wordsOf);
		expect(earlier.value).toBe(OVER);
		expect(earlier.ms).toBeLessThan(5000);
		await server.close();

		const late: Script = ({ path }) =>
			path.endsWith('/callflows') ? { delayMs: 1200, body: { data: [] } } : undefined;
		const moved = { until: Date.now() + 600 };
		setTimeout(() => (moved.until += 20_000), 100);
		expect((await within(late, moved, wordsOf)).value).toBe('ok');
	});

	it('shares what is known of a dead PBX, and not longer than that lasts', async () => {
		const budget = () => ({ until: Date.now() + 500, sharesOutages: true });
		const { ms } = await within(on('/callflows'), budget(), async (pbx) => {
			expect(await wordsOf(pbx)).toBe(OVER);
			const began = Date.now();
			expect(await wordsOf(pbx)).toBe(OVER);
			return Date.now() - began;
		});
		expect(ms).toBeLessThan(5000);
		expect(server.seen('GET', '/callflows')).toHaveLength(1);
	});
});
