import type { IDataObject } from 'n8n-workflow';
import { COLLECTING, forgetPeak, residentMb } from '../../tools/measure/bench/memory';
import { launchBrowser } from '../../tools/browser/launch';
import type { Credential, N8nClient, Workflow } from '../../tools/n8n';
import { connect, eventually, later, startPbx } from '../support/e2e';
import type { TestPbx } from '../support/e2e';
import { importExample } from '../support/e2e/examples';
import { startOwnN8n } from '../support/e2e/own';
import {
	keyOf,
	makeLinks,
	readLink,
	signatureOf,
	wrongQueries,
} from '../support/e2e/recordingLinks';
import { IS_RELEASE } from '../support/release';

const SECRET = 'a long random text of the tests';
const CALL = { from: '74951234567', to: '74950000100', talk_seconds: 20, speed: 100 } as const;
const MIB = 2 ** 20;

let pbx: TestPbx;

/** How many requests the PBX has got so far. */
const asked = () => pbx.sandbox.pbx.requests.counters().total;

/** A recorded call, as an item of this package tells it. */
async function recordedCall(order: object = {}): Promise<IDataObject> {
	const { bridge_id: callId } = await pbx.client.call({ ...CALL, ...order, wait: 'delivered' });
	return { callId: String(callId), at: new Date().toISOString(), recordingUrl: 'https://x/y.wav' };
}

beforeAll(async () => (pbx = await startPbx({ settings: { recording_delay_seconds: 0 } })));

describe('a link to a recording, in a real n8n', () => {
	let n8n: N8nClient;
	let key: Credential;
	let workflow: Workflow;
	let link: string;

	beforeAll(async () => {
		n8n = await connect();
		key = await keyOf(n8n, SECRET);
		workflow = await importExample(n8n, pbx, 'recording-link.json', [key]);
		await n8n.activate(workflow.id);
		const [item] = await makeLinks(n8n, workflow, [await recordedCall()]);
		link = String(item?.recordingLink);
	});
	afterAll(async () => await n8n.deactivate(workflow.id));

	it('is made for a call, the same each time, and none for a call without a recording', async () => {
		const call = { callId: 'a@192.0.2.1', at: '2026-11-20T12:00:00Z', talkSeconds: 5 };
		const silent = { ...call, talkSeconds: 0 };
		const unrecorded = { ...call, recordingUrl: null };
		const [one, again, ...none] = await makeLinks(n8n, workflow, [call, call, silent, unrecorded]);
		const expires = Date.parse('2026-12-20T12:00:00Z') / 1000;
		const query = { call: call.callId, at: call.at, expires };

		expect(one).toEqual({ ...call, recordingLink: expect.any(String) });
		expect(again).toEqual(one);
		expect(none).toEqual([silent, unrecorded].map((item) => ({ ...item, recordingLink: null })));
		expect(readLink(one?.recordingLink)).toEqual({
			...query,
			expires: String(expires),
			signature: signatureOf(query, SECRET),
		});
		expect(link.startsWith(`${n8n.rest.url}/webhook/`)).toBe(true);
	});

	it('gives the recording with its type, length, and name', async () => {
		const answer = await fetch(link);
		const bytes = Buffer.from(await answer.arrayBuffer());

		expect(answer.status).toBe(200);
		expect(answer.headers.get('content-type')).toBe('audio/wav');
		expect(answer.headers.get('content-length')).toBe(String(bytes.length));
		expect(answer.headers.get('content-disposition')).toMatch(
			/^inline; filename\*=UTF-8''\w+\.wav$/,
		);
		expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
		const saved = { workflowId: workflow.id, status: 'success' } as const;
		await eventually(async () => expect(await n8n.listExecutions(saved)).toEqual([]));
	});

	it('plays in a browser', async () => {
		const browser = await launchBrowser();
		later(async () => await browser.close());
		const page = await browser.newPage();
		const { duration, at } = await page.evaluate(playMuted, link);

		expect(Math.round(duration)).toBe(20);
		expect(at).toBeGreaterThan(0.2);
	});

	it('is refused when it is forged or has expired, and the PBX is not asked', async () => {
		const [address] = link.split('?');
		const before = asked();
		const answers = wrongQueries(readLink(link), SECRET).map(async (query) => {
			const answer = await fetch(`${address}?${query}`);
			return `${answer.status} ${await answer.text()}`;
		});

		expect(new Set(await Promise.all(answers))).toEqual(
			new Set(['403 This link is wrong or has expired.']),
		);
		expect(asked() - before).toBe(0);
		expect((await fetch(link)).status).toBe(200);
	});

	it('says 404 for a recording that is gone, and the execution that failed says why', async () => {
		const call = { callId: 'gone@192.0.2.1', at: new Date().toISOString(), talkSeconds: 5 };
		const [item] = await makeLinks(n8n, workflow, [call]);
		const answer = await fetch(String(item?.recordingLink));
		const [failed] = await n8n.waitForExecutions(workflow.id);

		expect(answer.status).toBe(404);
		expect(await answer.text()).toBe("This recording isn't available.");
		expect(failed?.data.resultData.error?.message).toContain('gone@192.0.2.1');
	});

	it('no longer works after a new secret', async () => {
		await n8n.updateCredential(key, { hmacSecret: `${SECRET}, changed` });
		const before = asked();
		await eventually(async () => expect((await fetch(link)).status).toBe(403));
		await n8n.updateCredential(key, { hmacSecret: SECRET });

		expect(asked() - before).toBe(0);
	});
});

// In queue mode, files of the file system stay in the process that wrote them, so n8n doesn't offer it.
if (IS_RELEASE && process.env.SHARED_N8N_MODE === 'regular')
	it('of 200 MiB passes through n8n without filling its memory', async () => {
		const env = { ...COLLECTING, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
		const { main: own } = await startOwnN8n(env);
		const n8n = await own.signIn();
		const key = await keyOf(n8n, SECRET);
		const workflow = await importExample(n8n, pbx, 'recording-link.json', [key]);
		await n8n.activate(workflow.id);
		const short = await recordedCall();
		const long = await recordedCall({
			talk_seconds: Math.ceil((200 * MIB) / 16_000),
			speed: 100_000,
		});
		const links = (await makeLinks(n8n, workflow, [short, long])).map((item) =>
			String(item.recordingLink),
		);
		await bytesOf(links[0]);
		process.kill(own.pid ?? 0, 'SIGUSR2');
		forgetPeak(own.pid);
		const rest = residentMb(own.pid);
		const bytes = await bytesOf(links[1]);
		const grown = residentMb(own.pid, 'VmHWM') - rest;

		console.log(`A recording of ${bytes / MIB} MiB: n8n's memory grew by ${Math.round(grown)} MiB`);
		expect(bytes).toBeGreaterThanOrEqual(200 * MIB);
		expect(grown).toBeLessThan(128);
	}, 300_000);

/** Reads an answer to its end; gives its length. */
async function bytesOf(link = ''): Promise<number> {
	const { body, status } = await fetch(link);
	expect(status).toBe(200);
	const reader = body?.getReader();
	let bytes = 0;
	for (let read = await reader?.read(); read?.value; read = await reader?.read())
		bytes += read.value.length;
	return bytes;
}

/** In the page: plays a recording for a moment; gives its length, and where it is then, in seconds. */
async function playMuted(source: string) {
	const audio = new Audio();
	const happens = async (name: string) =>
		await new Promise<void>((resolve, reject) => {
			audio.addEventListener(name, () => resolve(), { once: true });
			audio.addEventListener('error', () => reject(new Error(audio.error?.message)));
		});
	audio.muted = true;
	audio.src = source;
	await happens('canplaythrough');
	await audio.play();
	while (audio.currentTime < 0.3) await happens('timeupdate');
	return { duration: audio.duration, at: audio.currentTime };
}
