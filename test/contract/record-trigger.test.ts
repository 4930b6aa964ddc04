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
		expect(items).toMatchObject([
			{
				...{ callType: 'incoming', customerNumber: '12125550123', companyNumber: '12125550100' },
				...{ outcome: 'answered', missed: false },
				recordingUrl: expect.stringContaining(pbx.sandbox.url),
				details: { legs: expect.arrayContaining([expect.anything(), expect.anything()]) },
			},
		]);
		expect(await pollSoon(poller)).toEqual([]);
	});

	it('filters by number, call type, cause and talk time, and does not come back to what it left out', async () => {
		const filters = {
			...{ from: '1718*', hangupCauses: ['NORMAL_CLEARING'], outcomes: ['answered'] },
			...{ minTalkSeconds: 5, callType: ['incoming'] },
		};
		const poller = await pollerFor({ filters });
		await poller.poll();
		await call();
		await call({ from: '17185550122' });
		await call({ from: '17185550122', outcome: 'no_answer' });
		expect(await pollSoon(poller)).toMatchObject([{ customerNumber: '17185550122' }]);
		expect(await pollSoon(poller)).toEqual([]);
	});
});

it('New Call Record begins anew for another account', async () => {
	const event = 'newCallRecord';
	const first = await pollerFor({ event });
	await first.poll();
	await add({ BRIDGE_ID: 'x' });
	const options = { accountId: String(pbx.credential.read().accountId) };
	expect(await first.other({ parameters: { event, options } }).publish()).toBeNull();
});

describe('Recording Ready', () => {
	const recordings = async (parameters: INodeParameters = {}) => {
		const poller = await pollerFor({ event: 'recordingReady', ...parameters });
		await poller.poll();
		return poller;
	};

	it('comes when the file can be fetched, and not before', async () => {
		const poller = await recordings();
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
		const { cdr } = await pbx.client.addRecording({ seconds: 1 });
		const both = { ...cdr, BRIDGE_ID: 'x', CALLER_ID_NUMBER: 'sip:17185550122@h' };
		await add({ ...both, CALL_DIRECTION: 'inbound', CALLEE_ID_NUMBER: '12125550100' });
		await add({ ...both, CALL_DIRECTION: 'outbound', CALLEE_ID_NUMBER: '101' });
		const items = await pollSoon(poller);
		expect(items.filter(({ callId }) => callId === 'x')).toMatchObject([
			{ callType: 'incoming', employee: '101', companyNumber: '12125550100', recordingReady: true },
		]);
	});

	it('is filtered by its call, whichever leg names the file', async () => {
		const rec = { REC_LINK: `${pbx.sandbox.url}/nowhere/`, REC_FILE: 'a.wav' };
		const poller = await recordings({
			waitMinutes: 1,
			filters: { callType: ['incoming'], from: '1718*' },
		});
		const phone = { CALLER_ID_NUMBER: '100', CALLEE_ID_NUMBER: '101' };
		await add({ BRIDGE_ID: 'x', CALL_DIRECTION: 'outbound', ...phone, ...rec });
		expect(await poller.poll()).toBeNull();
		await add({ BRIDGE_ID: 'x', CALLER_ID_NUMBER: 'sip:17185550122@h' });
		clock.pass(120_000);
		expect(await poller.poll()).toMatchObject([{ callId: 'x', recordingReady: false }]);
	});

	it('gives up in time, and says so', async () => {
		const poller = await recordings({ waitMinutes: 5 });
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
		const { cdr } = await pbx.client.addRecording({ seconds: 1 });
		const earlier = String(Number(cdr.TIMESTAMP) - 5);
		await add({ ...cdr, BRIDGE_ID: 'broken', REC_FILE: 'broken.wav', TIMESTAMP: earlier });
		faults().add({ kind: 'status', path: '*/broken.wav', status: 500 });
		expect(await poller.poll()).toMatchObject([{ recordingReady: true }]);
	});

	unless(onKazoo(), it)('tells at once of a host that may not get the token', async () => {
		const poller = await recordings();
		await add({ REC_LINK: 'http://127.0.0.1:9/', REC_FILE: 'a.wav' });
		const recordingProblem = expect.stringContaining('Recording Hosts');
		expect(await poller.poll()).toMatchObject([{ recordingReady: false, recordingProblem }]);
	});
});

it('the first run gives the last calls', async () => {
	for (let n = 0; n < 3; n++) await call();
	const poller = await pollerFor({ firstRun: 'last', lastCount: 2 });
	expect(await poller.poll()).toHaveLength(2);
	expect(await pollSoon(poller)).toEqual([]);
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
