import type { IDataObject } from 'n8n-workflow';
import { COLLECTING, resetPeak, residentMb } from '../../tools/bench/load';
import { launchBrowser, openPage } from '../../tools/browser/launch';
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
import { recordingKind } from '../support/profile';
import { IS_RELEASE } from '../support/release';

const SECRET = 'a long random text of the tests';
const CALL = { from: '12125550123', to: '12125550100', talk_seconds: 20, speed: 100 } as const;
const MIB = 2 ** 20;

let pbx: TestPbx;

/** Returns the number of requests that the PBX has received. */
const requestCount = () => pbx.sandbox.pbx.requests.counters().total;

/** Places a recorded call. Returns its item. */
async function recordedCall(order: object = {}): Promise<IDataObject> {
	const { bridge_id: callId } = await pbx.client.call({ ...CALL, ...order, wait: 'delivered' });
	return { callId: String(callId), at: new Date().toISOString(), recordingUrl: 'https://x/y.wav' };
}

beforeAll(async () => (pbx = await startPbx({ settings: { recording_delay_seconds: 0 } })));

describe('a link to a recording', () => {
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

	it('is the same each time for a call, and null without a recording', async () => {
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

	it('returns the recording with its type, length, and name', async () => {
		const response = await fetch(link);
		const bytes = Buffer.from(await response.arrayBuffer());

		expect(response.status).toBe(200);
		expect(response.headers.get('content-type')).toBe(recordingKind().type);
		expect(response.headers.get('content-length')).toBe(String(bytes.length));
		expect(response.headers.get('content-disposition')).toMatch(
			new RegExp(`^inline; filename\\*=UTF-8''[\\w%.]+\\.${recordingKind().ending}$`),
		);
		expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
		const saved = { workflowId: workflow.id, status: 'success' } as const;
		await eventually(async () => expect(await n8n.listExecutions(saved)).toEqual([]));
	});

	it('plays in a browser', async () => {
		const browser = await launchBrowser();
		later(async () => await browser.close());
		const page = await openPage(browser);
		const { duration, at } = await page.evaluate(playMuted, link);

		expect(Math.round(duration)).toBe(20);
		expect(at).toBeGreaterThan(0.2);
	});

	it('is rejected if forged or expired, without a request to the PBX', async () => {
		const [address] = link.split('?');
		const before = requestCount();
		const responses = wrongQueries(readLink(link), SECRET).map(async (query) => {
			const response = await fetch(`${address}?${query}`);
			return `${response.status} ${await response.text()}`;
		});

		expect(new Set(await Promise.all(responses))).toEqual(
			new Set(['403 This link is wrong or has expired.']),
		);
		expect(requestCount() - before).toBe(0);
		expect((await fetch(link)).status).toBe(200);
	});

	it('returns 404 for a deleted recording, and the failed execution says why', async () => {
		const call = { callId: 'gone@192.0.2.1', at: new Date().toISOString(), talkSeconds: 5 };
		const [item] = await makeLinks(n8n, workflow, [call]);
		const response = await fetch(String(item?.recordingLink));
		const [failed] = await n8n.waitForExecutions(workflow.id);

		expect(response.status).toBe(404);
		expect(await response.text()).toBe("This recording isn't available.");
		expect(failed?.data.resultData.error?.message).toContain('gone@192.0.2.1');
	});

	it('stops working after the secret changes', async () => {
		await n8n.updateCredential(key, { hmacSecret: `${SECRET}, changed` });
		const before = requestCount();
		await eventually(async () => expect((await fetch(link)).status).toBe(403));
		await n8n.updateCredential(key, { hmacSecret: SECRET });

		expect(requestCount() - before).toBe(0);
	});
});

// n8n doesn't offer the file system in queue mode, since files stay with the process that wrote them.
if (IS_RELEASE && process.env.SHARED_N8N_MODE === 'regular')
	it('a recording of 200 MiB passes through n8n without filling its memory', async () => {
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
		resetPeak(own.pid);
		const rest = residentMb(own.pid);
		const bytes = await bytesOf(links[1]);
		const grown = residentMb(own.pid, 'VmHWM') - rest;

		console.log(`A recording of ${bytes / MIB} MiB: n8n's memory grew by ${Math.round(grown)} MiB`);
		expect(bytes).toBeGreaterThanOrEqual(200 * MIB);
		expect(grown).toBeLessThan(128);
	}, 300_000);

/** Reads a whole response. Returns its length. */
async function bytesOf(link = ''): Promise<number> {
	const { body, status } = await fetch(link);
	expect(status).toBe(200);
	const reader = body?.getReader();
	let bytes = 0;
	for (let read = await reader?.read(); read?.value; read = await reader?.read())
		bytes += read.value.length;
	return bytes;
}

/** Runs in the page: plays a recording briefly. Returns its length and the reached position, in seconds. */
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
