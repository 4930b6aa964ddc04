import type { IDataObject } from 'n8n-workflow';

import { WAITS } from '../../nodes/VirtualPbx/triggers/callRecord/candidates';
import { useClock } from '../support/clock';
import type { TestPoller } from '../support/core';
import { makeRecordPoller, recordOf } from '../support/operate';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';

const BUDGET_MS = 1500;
let pbx: ScriptedPbx;
let records: IDataObject[] = [];
const clock = useClock();
beforeAll(() => void (WAITS.settleMs = 0));
afterEach(async () => await pbx.close());

/** A PBX with recordings, the oldest first, and a trigger that attaches them. */
async function start(
	files: string[],
	answer: (file: string) => ScriptedAnswer,
	parameters: IDataObject = {},
): Promise<TestPoller> {
	records = [];
	pbx = await startScriptedPbx(({ path }) => {
		if (path.endsWith('/cdrs')) return { body: { data: records, status: 'success' } };
		return path.startsWith('/rec/') ? answer(path.slice(5)) : undefined;
	});
	const attaching = { event: 'recordingReady', downloadRecording: true, ...parameters };
	const poller = await makeRecordPoller(pbx, attaching);
	await poller.poll();
	records = files.map((REC_FILE, index) => ({
		...recordOf(REC_FILE, files.length - index),
		REC_LINK: `${pbx.url}/rec/`,
		REC_FILE,
	}));
	return poller;
}

/** Polls until all are there; gives the files of each poll. */
async function pollFor(poller: TestPoller, count: number): Promise<string[][]> {
	const polls: string[][] = [];
	while (polls.flat().length < count && polls.length < 40) {
		const began = Date.now();
		const items = (await poller.pollDurably(BUDGET_MS)) ?? [];
		expect(Date.now() - began).toBeLessThan(BUDGET_MS * 5);
		expect(items.every(({ recordingReady }) => recordingReady)).toBe(true);
		polls.push(items.map(({ recordingUrl }) => String(recordingUrl).split('/').at(-1) ?? ''));
	}
	return polls;
}

const sound = (delayMs: number): ScriptedAnswer => ({
	raw: (response) => {
		response.writeHead(200, { 'content-type': 'audio/wav' });
		response.write('RIFFsound');
		setTimeout(() => response.end('more'), delayMs);
	},
});
const names = (count: number) => Array.from({ length: count }, (_, n) => `${n}.wav`);

describe('recordings that take long', () => {
	it('come poll by poll, each once, with as many as there is time for', async () => {
		const files = names(30);
		const poller = await start(files, () => sound(BUDGET_MS / 5));
		const polls = await pollFor(poller, files.length);
		expect(polls.length).toBeGreaterThan(1);
		expect(polls[0]).toEqual(files.slice(0, polls[0]?.length));
		expect(polls.flat().sort()).toEqual([...files].sort());
		expect(await poller.pollDurably(BUDGET_MS)).toBeNull();
	}, 60_000);

	it('come without the file in the end where one takes longer than n8n gives a poll', async () => {
		const poller = await start(['long.wav'], () => sound(2 * BUDGET_MS), { giveUpMinutes: 1 });
		expect(await poller.pollDurably(BUDGET_MS)).toBeNull();
		clock.pass(61_000);
		const items = await poller.pollDurably(BUDGET_MS);
		expect(items).toMatchObject([{ recordingReady: false, recordingProblem: expect.any(String) }]);
		expect(pbx.seen('GET', 'long.wav')).toHaveLength(2);
	}, 60_000);

	it('do not wait behind files that never come', async () => {
		const stalled = names(6).map((name) => `stalled-${name}`);
		const poller = await start([...stalled, ...names(5)], (file) =>
			file.startsWith('stalled') ? { raw: () => undefined } : sound(0),
		);
		const polls = await pollFor(poller, 5);
		expect(polls.flat().sort()).toEqual(names(5));
		expect(polls.length).toBeLessThanOrEqual(3);
	}, 60_000);
});
