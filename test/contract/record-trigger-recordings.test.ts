import type { IDataObject } from 'n8n-workflow';

import { WAITS } from '../../nodes/VirtualPbx/triggers/callRecord/calls';
import { useClock } from '../support/clock';
import type { TestRecordTrigger } from '../support/core';
import { recordTriggerOn, recordOf } from '../support/operate';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx } from '../support/scriptedPbx';

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
): Promise<TestRecordTrigger> {
	records = [];
	pbx = await startScriptedPbx(({ path }) => {
		if (path.endsWith('/cdrs')) return { body: { data: records, status: 'success' } };
		return path.startsWith('/rec/') ? answer(path.slice(5)) : undefined;
	});
	const attaching = { event: 'recordingReady', downloadRecording: true, ...parameters };
	const poller = await recordTriggerOn(pbx, attaching);
	await poller.poll();
	records = files.map((REC_FILE, index) => ({
		...recordOf(REC_FILE, files.length - index),
		REC_LINK: `${pbx.url}/rec/`,
		REC_FILE,
	}));
	return poller;
}

/** Polls until all are there; gives their files. */
async function pollFor(trigger: TestRecordTrigger, count: number): Promise<string[]> {
	const items: IDataObject[] = [];
	for (let poll = 0; items.length < count && poll < 10; poll++)
		items.push(...((await trigger.poll()) ?? []));
	expect(items.every(({ recordingReady }) => recordingReady)).toBe(true);
	return items.map(({ recordingUrl }) => String(recordingUrl).split('/').at(-1) ?? '');
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
	it('come once each, oldest first', async () => {
		const files = names(30);
		const trigger = await start(files, () => sound(100));
		expect(await pollFor(trigger, files.length)).toEqual(files);
		expect(await trigger.poll()).toBeNull();
	});

	it('do not wait behind files that come later', async () => {
		const missing = names(6).map((name) => `missing-${name}`);
		const trigger = await start([...missing, ...names(5)], (file) =>
			file.startsWith('missing') ? { status: 404 } : sound(0),
		);
		expect((await pollFor(trigger, 5)).sort()).toEqual(names(5));
		clock.pass(61 * 60_000);
		expect(await trigger.poll()).toMatchObject(missing.map(() => ({ recordingReady: false })));
	});

	it('are downloaded again for another attempt, since n8n has moved the file', async () => {
		const trigger = await start(['a.wav'], () => sound(0), { options: { tryAgain: true } });
		trigger.ending = () => 'error';
		await trigger.poll();
		clock.pass(301_000);
		await trigger.poll();
		expect(trigger.executions).toHaveLength(2);
		expect(pbx.seen('GET', 'a.wav')).toHaveLength(2);
	});
});
