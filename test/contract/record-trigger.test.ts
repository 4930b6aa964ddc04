import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { WAITS } from '../../nodes/VirtualPbx/triggers/callRecord/calls';
import { useClock } from '../support/clock';
import { makeRecordTrigger } from '../support/core';
import type { TestRecordTrigger } from '../support/core';
import { usePbx } from '../support/sandbox';
import { onKazoo } from '../support/profile';
import { unless } from '../support/unless';

const pbx = usePbx();
const clock = useClock();
beforeAll(() => void (WAITS.settleMs = 0));

const pollerFor = async (parameters: INodeParameters = {}) =>
	await makeRecordTrigger({
		type: 'virtualPbxRecordTrigger',
		credential: pbx.credential,
		parameters,
	});
const faults = () => pbx.sandbox.pbx.faults;
const add = async (...records: IDataObject[]) => await pbx.client.addRecords(records);
const call = async (more: object = {}) =>
	await pbx.sandbox.call({ from: '12125550123', to: '12125550100', speed: 100, ...more });
const pollSoon = async (poller: TestRecordTrigger) => {
	const first = (await poller.poll()) ?? [];
	clock.pass(60_000);
	return [...first, ...((await poller.poll()) ?? [])];
};

describe('New Call', () => {
	it('gives a call with its legs once, and nothing of what was before', async () => {
		await call();
		const poller = await pollerFor({ options: { includeDetails: true } });
		expect(await poller.poll()).toBeNull();
		await call();
		const items = await pollSoon(poller);

		expect(items).toHaveLength(1);
		expect(items[0]).toMatchObject({
			callType: 'incoming',
			customerNumber: '12125550123',
			companyNumber: '12125550100',
			outcome: 'answered',
			missed: false,
		});
		const { legs } = items[0]?.details as IDataObject;
		expect((legs as IDataObject[]).length).toBeGreaterThanOrEqual(2);
		expect(items[0]?.recordingUrl).toContain(pbx.sandbox.url);
		expect(await pollSoon(poller)).toEqual([]);
	});

	it('filters by number, call type, cause and talk time, and does not come back to what it left out', async () => {
		const filters = {
			from: '1718*',
			hangupCauses: ['NORMAL_CLEARING'],
			outcomes: ['answered'],
			minTalkSeconds: 5,
			callType: ['incoming'],
		};
		const poller = await pollerFor({ filters });
		await poller.poll();
		await call();
		await call({ from: '17185550122' });
		await call({ from: '17185550122', outcome: 'no_answer' });
		expect((await pollSoon(poller)).map(({ customerNumber }) => customerNumber)).toEqual([
			'17185550122',
		]);
		expect(await pollSoon(poller)).toEqual([]);
	});
});

describe('New Call Record', () => {
	it('begins anew for another account', async () => {
		const first = await pollerFor({ event: 'newCallRecord' });
		await first.poll();
		await add({ BRIDGE_ID: 'x' });
		const other = await pollerFor({
			event: 'newCallRecord',
			options: { accountId: String(pbx.credential.read().accountId) },
		});
		const same = first.other({ ...other.node, id: first.node.id });
		expect(await same.publish()).toBeNull();
	});
});

describe('Recording Ready', () => {
	const recordings = async (parameters: INodeParameters = {}) =>
		await pollerFor({ event: 'recordingReady', ...parameters });

	it('comes when the file can be fetched, and not before', async () => {
		const poller = await recordings();
		await poller.poll();
		const { file } = await pbx.client.addRecording({ seconds: 1, delay_seconds: 30 });
		expect(await poller.poll()).toBeNull();
		clock.pass(60_000);
		const [item] = (await poller.poll()) ?? [];
		expect(item).toMatchObject({ recordingReady: true });
		const id = pbx.sandbox.pbx.firstAccount.recordingId(file, '').slice(1);
		expect(item?.recordingUrl).toContain(onKazoo() ? id : file);
		expect(await pollSoon(poller)).toEqual([]);
	});

	it('tells of the call, not of the leg that names the file', async () => {
		const poller = await recordings();
		await poller.poll();
		const { cdr } = await pbx.client.addRecording({ seconds: 1 });
		const both = { ...cdr, BRIDGE_ID: 'x', CALLER_ID_NUMBER: 'sip:17185550122@h' };
		await add({ ...both, CALL_DIRECTION: 'inbound', CALLEE_ID_NUMBER: '12125550100' });
		await add({ ...both, CALL_DIRECTION: 'outbound', CALLEE_ID_NUMBER: '101' });
		const ofCall = ((await pollSoon(poller)) ?? []).filter(({ callId }) => callId === 'x');
		expect(ofCall).toMatchObject([
			{ callType: 'incoming', employee: '101', companyNumber: '12125550100', recordingReady: true },
		]);
	});

	it('is filtered by its call, whichever leg names the file', async () => {
		const rec = { REC_LINK: `${pbx.sandbox.url}/nowhere/`, REC_FILE: 'a.wav' };
		const poller = await recordings({
			waitMinutes: 1,
			filters: { callType: ['incoming'], from: '1718*' },
		});
		await poller.poll();
		const phone = { CALLER_ID_NUMBER: '100', CALLEE_ID_NUMBER: '101' };
		await add({ BRIDGE_ID: 'x', CALL_DIRECTION: 'outbound', ...phone, ...rec });
		expect(await poller.poll()).toBeNull();
		await add({ BRIDGE_ID: 'x', CALLER_ID_NUMBER: 'sip:17185550122@h' });
		clock.pass(120_000);
		expect(await poller.poll()).toMatchObject([{ callId: 'x', recordingReady: false }]);
	});

	it('gives up in time, and says so', async () => {
		const poller = await recordings({ waitMinutes: 5 });
		await poller.poll();
		await add({ REC_LINK: `${pbx.sandbox.url}/nowhere/`, REC_FILE: 'gone.wav' });
		for (let minute = 0; minute < 5; minute++, clock.pass(60_000))
			expect(await poller.poll()).toBeNull();
		expect(await poller.poll()).toMatchObject([
			{ recordingReady: false, recordingProblem: expect.any(String) },
		]);
		expect(await poller.poll()).toBeNull();
	});

	it('comes although another file of the same server always fails', async () => {
		const poller = await recordings();
		await poller.poll();
		const { cdr } = await pbx.client.addRecording({ seconds: 1 });
		const earlier = String(Number(cdr.TIMESTAMP) - 5);
		await add({ ...cdr, BRIDGE_ID: 'broken', REC_FILE: 'broken.wav', TIMESTAMP: earlier });
		faults().add({ kind: 'status', path: '*/broken.wav', status: 500 });
		expect(await poller.poll()).toMatchObject([{ recordingReady: true }]);
	});

	unless(onKazoo(), it)('tells at once of a host that may not get the token', async () => {
		const poller = await recordings();
		await poller.poll();
		await add({ REC_LINK: 'http://127.0.0.1:9/', REC_FILE: 'a.wav' });
		expect(await poller.poll()).toMatchObject([
			{
				recordingReady: false,
				recordingProblem: expect.stringContaining('Recording Hosts'),
			},
		]);
	});
});

describe('the first run', () => {
	it.each<[string, INodeParameters, string]>([
		[
			'no talk time',
			{ filters: { minTalkSeconds: '={{ "x" }}' } },
			"'Minimum Talk Time (Seconds)' must",
		],
		[
			'no date',
			{ firstRun: 'since', since: '={{ "soon" }}' },
			"'Since' isn't a clear date or time",
		],
		['an unknown event', { event: '={{ "x" }}' }, "\"x\" isn't a valid value for 'Event'"],
		[
			'an unknown beginning',
			{ firstRun: '={{ "x" }}' },
			"\"x\" isn't a valid value for 'Calls to Start With'",
		],
		[
			'no time to give up',
			{ event: 'recordingReady', waitMinutes: -1 },
			"'Wait for Recording (Minutes)' must be a number of at least 0",
		],
		[
			'no field for recordings',
			{ event: 'recordingReady', downloadRecording: true, binaryPropertyName: '={{ "" }}' },
			"'Put Output File in Field' is empty",
		],
		[
			'no items for an execution',
			{ startWorkflow: 'perCheck', options: { maxItems: '={{ "" }}' } },
			"'Max Items per Execution' must be a number of at least 1",
		],
	])('refuses %s before anything is sent', async (_, parameters, words) => {
		await expect((await pollerFor(parameters)).poll()).rejects.toThrow(words);
		expect(pbx.sandbox.pbx.requests.list()).toEqual([]);
	});

	it('gives the last calls', async () => {
		for (let n = 0; n < 3; n++) await call();
		const poller = await pollerFor({ firstRun: 'last', lastCount: 2 });
		expect(await poller.poll()).toHaveLength(2);
		expect(await pollSoon(poller)).toEqual([]);
	});
});

describe('Execute step', () => {
	it('gives recent calls without touching the state', async () => {
		const poller = await pollerFor();
		await poller.poll();
		await call();
		expect(await poller.executeStep()).toHaveLength(1);
		expect(await pollSoon(poller)).toHaveLength(1);
	});

	it.each([
		['newCall', 'There are no calls to show'],
		['newCallRecord', 'There are no call records to show'],
		['recordingReady', 'There are no recordings to show'],
	])('says when there are none: %s', async (event, words) => {
		pbx.sandbox.pbx.firstAccount.cdrs.clear();
		await expect((await pollerFor({ event })).executeStep()).rejects.toThrow(words);
	});

	it('gives a recording that can be fetched', async () => {
		await pbx.client.addRecording({ seconds: 1 });
		const poller = await pollerFor({ event: 'recordingReady' });
		expect(await poller.executeStep()).toMatchObject([{ recordingReady: true }]);
	});
});
