import { startSandbox } from '../../sandbox';
import { openSubject, type Subject } from './support/contract';
import { until } from './support/until';

let pbx: Subject;
let token: string;
beforeAll(async () => {
	pbx = await openSubject();
	token = String(pbx.login.body.auth_token);
});
beforeEach(async () => {
	await pbx.control('DELETE', '/faults');
	await pbx.control('DELETE', '/requests');
});
afterAll(async () => await pbx.close());

const fault = async (order: object) => await pbx.control('POST', '/faults', order);

/** An answer that is read piece by piece and can be left. */
async function open(url: string) {
	const leaving = new AbortController();
	const response = await fetch(url, {
		headers: { 'x-auth-token': token },
		signal: leaving.signal,
	});
	const chunks: Buffer[] = [];
	const read = (async () => {
		const body = response.body as unknown as AsyncIterable<Uint8Array>;
		for await (const chunk of body) chunks.push(Buffer.from(chunk));
	})();
	const end = read.then(
		() => 'ended',
		() => 'broken',
	);
	return {
		response,
		size: () => Buffer.concat(chunks).length,
		end,
		leave: () => leaving.abort(),
	};
}

/** The addresses of a list that is one text, of one that is streamed, and of a recording. */
async function addresses(): Promise<Record<string, string>> {
	const { body } = await pbx.control('POST', '/recordings', { seconds: 2 });
	const base = String(body.url).replace(/\/recordings\/.*/, '');
	await pbx.control('POST', '/cdrs/generate', { count: 1000 });
	return { list: `${base}/callflows`, cdrs: `${base}/cdrs`, recording: String(body.url) };
}

test.each(['list', 'cdrs', 'recording'])(
	'stall sends the headers and the first bytes of a %s, then nothing, and leaves the connection open',
	async (what) => {
		const url = (await addresses())[what] ?? '';
		await fault({ kind: 'stall', bytes: 40, times: 1 });
		const answer = await open(url);
		expect(answer.response.status).toBe(200);
		await until(() => answer.size() === 40);
		const first = await Promise.race([
			answer.end,
			new Promise((resolve) => setTimeout(resolve, 100, 'waits')),
		]);
		expect([first, answer.size()]).toEqual(['waits', 40]);
		answer.leave();
		expect(await answer.end).toBe('broken');
	},
);

test('stall without bytes sends the headers alone, with the length of the whole', async () => {
	const { recording = '' } = await addresses();
	await fault({ kind: 'stall', times: 1 });
	const answer = await open(recording);
	expect(answer.response.headers.get('content-length')).toBe(String(44 + 32_000));
	expect(answer.size()).toBe(0);
	answer.leave();
});

test.each(['list', 'cdrs', 'recording'])('stall with seconds goes on with a %s', async (what) => {
	const url = (await addresses())[what] ?? '';
	const whole = await open(url);
	await whole.end;
	await fault({ kind: 'stall', bytes: 40, seconds: 0.1, times: 1 });
	const start = performance.now();
	const slow = await open(url);
	expect(await slow.end).toBe('ended');
	expect(performance.now() - start).toBeGreaterThanOrEqual(95);
	const notes = 100;
	expect(Math.abs(slow.size() - whole.size())).toBeLessThan(notes);
});

test('drip sends the whole slowly but steadily', async () => {
	const { recording = '' } = await addresses();
	await fault({ kind: 'drip', bytes: 8000, seconds: 0.03, times: 1 });
	const start = performance.now();
	const slow = await open(recording);
	expect(await slow.end).toBe('ended');
	expect(slow.size()).toBe(44 + 32_000);
	expect(performance.now() - start).toBeGreaterThanOrEqual(110);
});

test('silent accepts a request and never answers; the log shows status 0', async () => {
	const { list = '' } = await addresses();
	await fault({ kind: 'silent', times: 1 });
	const leaving = new AbortController();
	const asked = fetch(list, { headers: { 'x-auth-token': token }, signal: leaving.signal });
	const said = asked.then(
		() => 'answered',
		() => 'left',
	);
	await until(async () => (await pbx.control('GET', '/requests?status=0')).body.count === 1);
	expect(
		await Promise.race([said, new Promise((resolve) => setTimeout(resolve, 100, 'waits'))]),
	).toBe('waits');
	leaving.abort();
	expect(await said).toBe('left');
});

test.each(['silent', 'stall', 'latency'] as const)(
	'a request held by %s does not keep the sandbox from closing',
	async (kind) => {
		const sandbox = await startSandbox();
		sandbox.pbx.faults.add({ kind, seconds: 3600 });
		const asked = fetch(`${sandbox.url}/v1/pbx/user_auth`, { method: 'PUT' }).then(
			async (answer) => await answer.text(),
		);
		const failed = asked.catch(() => 'closed');
		await until(() => sandbox.pbx.faults.list()[0]?.hits === 1);
		await sandbox.close();
		expect(await failed).toBe('closed');
	},
);
