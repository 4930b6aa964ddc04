import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { makePoller, storeCredential } from '../support/core';
import type { TestPoller } from '../support/core';
import { startScriptedPbx } from '../support/scriptedPbx';
import type { ScriptedPbx } from '../support/scriptedPbx';

const GREGORIAN = 62_167_219_200;
let pbx: ScriptedPbx;
let records: IDataObject[] = [];
let cdrs: () => object = () => ({ body: { data: records, status: 'success' } });
afterEach(async () => {
	records = [];
	cdrs = () => ({ body: { data: records, status: 'success' } });
	await pbx.close();
});

const record = (id: string, secondsAgo = 0): IDataObject => ({
	CALL_DIRECTION: 'inbound',
	BRIDGE_ID: id,
	TIMESTAMP: String(GREGORIAN + Math.floor(Date.now() / 1000) - secondsAgo),
});

async function start(parameters: IDataObject = {}): Promise<TestPoller> {
	pbx = await startScriptedPbx(({ path }) => (path.endsWith('/cdrs') ? cdrs() : undefined));
	return await makePoller({
		type: 'virtualPbxRecordTrigger',
		name: 'Old Name',
		credential: await storeCredential({ baseUrl: pbx.url, login: 'd', password: 'x', realm: 'r' }),
		parameters: { event: 'newCallRecord', ...parameters } as never,
	});
}
const given = async (poller: TestPoller) =>
	((await poller.poll()) ?? []).map(({ bridgeId }) => bridgeId);

describe('progress belongs to the node, not to its name', () => {
	it('goes on after the node was renamed: nothing twice, nothing lost', async () => {
		const poller = await start({ firstRun: 'since', since: new Date(Date.now() - 3e6) as never });
		records = [record('a', 60)];
		expect(await given(poller)).toEqual(['a']);
		const renamed = poller.other({ name: 'New Name' });
		records.push(record('b', 1));
		expect(await given(renamed)).toEqual(['b']);
		const again = renamed.other({ name: 'Third Name' });
		expect(await again.poll()).toBeNull();
	});

	it('keeps calls that were settling when the node was renamed', async () => {
		const poller = await start({ event: 'newCall', options: { settleSeconds: 40 } });
		await poller.poll();
		records = [record('settling', 0)];
		expect(await poller.poll()).toBeNull();
		const renamed = poller.other({ name: 'New Name' });
		const clock = jest.spyOn(Date, 'now');
		const now = Date.now();
		clock.mockImplementation(() => now + 60_000);
		expect(await given(renamed)).toEqual(['settling']);
		clock.mockRestore();
	});

	it('is not inherited by a new node under the old name', async () => {
		const poller = await start({ firstRun: 'since', since: new Date(Date.now() - 3e6) as never });
		records = [record('a', 60)];
		await poller.poll();
		const renamed = poller.other({ name: 'New Name' });
		await renamed.poll();
		const fresh = renamed.other({ name: 'Old Name', id: randomUUID() });
		expect(await given(fresh)).toEqual(['a']);
		expect(await fresh.other(renamed.node).poll()).toBeNull();
	});

	it('takes over once what an earlier version kept under the name', async () => {
		const poller = await start();
		await poller.poll();
		records = [record('a', 0)];
		await poller.poll();
		const { version, source, watermark, from, seen, waiting } = poller.staticData;
		poller.staticData = { version, source, watermark, from, seen, waiting };
		expect(await poller.poll()).toBeNull();
		records.push(record('b', 0));
		expect(await given(poller.other({ name: 'New Name' }))).toEqual(['b']);
	});

	it('survives when another node of the workflow overwrites the global static data with an older copy', async () => {
		const poller = await start();
		await poller.poll();
		const { global } = structuredClone(poller.saved);
		records = [record('a', 0)];
		expect(await given(poller)).toEqual(['a']);
		poller.saved.global = { ...(global as IDataObject), mine: 1 };
		expect(await poller.poll()).toBeNull();
		expect(poller.saved.global).toMatchObject({ mine: 1 });
	});

	it('is new in a copy of the workflow', async () => {
		const poller = await start({ firstRun: 'since', since: new Date(Date.now() - 3e6) as never });
		records = [record('a', 60)];
		await poller.poll();
		const copied = JSON.parse(
			JSON.stringify(poller.saved).replaceAll('test-workflow', 'copied-from'),
		) as IDataObject;
		const copy = poller.other({});
		copy.saved = copied;
		jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 20_000);
		expect(await given(copy)).toEqual(['a']);
		jest.restoreAllMocks();
	});

	it("lives in n8n's durable cursor alone where there is one, and goes on from what was there before", async () => {
		const poller = await start();
		await poller.poll();
		records = [record('a', 0)];
		poller.cursor = structuredClone(poller.staticData);
		const before = structuredClone(poller.saved);
		expect(await given(poller)).toEqual(['a']);
		expect(await poller.poll()).toBeNull();
		expect(poller.saved).toEqual(before);
		const renamed = poller.other({ name: 'New Name' });
		renamed.cursor = structuredClone(poller.cursor);
		records.push(record('b', 0));
		expect(await given(renamed)).toEqual(['b']);
	});

	it('counts calls from the activation on, although n8n stores no durable cursor of its poll', async () => {
		const poller = await start();
		poller.cursor = {};
		const second = Math.floor(Date.now() / 1000) * 1000;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(second + 600);
		await poller.poll();
		clock.mockReturnValue(second + 900);
		poller.cursor = {};
		records = [record('of the same second'), record('before', 1), record('later', -2)];
		expect((await given(poller)).sort()).toEqual(['later', 'of the same second']);
		expect(await poller.poll()).toBeNull();
		clock.mockRestore();
		expect(poller.cursor).toHaveProperty('watermark');
	});

	it('begins at a PBX that needs most of the time of a poll for one list', async () => {
		const poller = await start({ event: 'newCall', options: { settleSeconds: 0 } });
		poller.cursor = {};
		await poller.poll();
		poller.cursor = {};
		records = [record('a', -2)];
		cdrs = () => ({ delayMs: 1200, body: { data: records, status: 'success' } });
		expect(await poller.poll('trigger', 'update', 2000)).toBeNull();
		const late = (await poller.poll('trigger', 'update', 2000)) ?? [];
		expect(late.map(({ bridgeId }) => bridgeId)).toEqual(['a']);
	});

	it('gives the same again for a durable cursor that was not stored, but not at once: n8n may be about to store it', async () => {
		const poller = await start();
		poller.cursor = {};
		await poller.poll();
		records = [record('a', 0), record('b', 0)];
		const stored = structuredClone(poller.cursor);
		expect((await given(poller)).sort()).toEqual(['a', 'b']);
		poller.cursor = structuredClone(stored);
		expect(await poller.poll()).toBeNull();
		expect(poller.cursor).toEqual(stored);
		const clock = jest.spyOn(Date, 'now');
		const now = Date.now();
		clock.mockImplementation(() => now + 20_000);
		expect((await given(poller)).sort()).toEqual(['a', 'b']);
		expect(await poller.poll()).toBeNull();
		clock.mockRestore();
	});

	it('does not pile up for nodes that are gone', async () => {
		const clock = jest.spyOn(Date, 'now');
		const now = Date.now();
		let poller = await start();
		for (let month = 0; month < 8; month++) {
			clock.mockImplementation(() => now + month * 40 * 86_400_000);
			poller = poller.other({ id: randomUUID() });
			await poller.poll();
			clock.mockImplementation(() => now + (month + 0.9) * 40 * 86_400_000);
			await poller.poll();
		}
		clock.mockRestore();
		const kept = (poller.saved.global as IDataObject).virtualPbxRecords as object;
		expect(Object.keys(kept).length).toBeLessThanOrEqual(3);
	}, 30_000);
});

describe("at n8n's start", () => {
	const hang = { raw: () => undefined };

	it('six triggers of a dead PBX wait 10 s together, throw nothing, and go on later', async () => {
		const poller = await start();
		await poller.poll();
		cdrs = () => hang;
		const began = Date.now();
		for (let n = 0; n < 6; n++) {
			const trigger = n === 0 ? poller : poller.other({ id: randomUUID(), name: `T${n}` });
			expect(await trigger.poll('trigger', 'init')).toBeNull();
		}
		expect(Date.now() - began).toBeLessThan(20_000);
	}, 60_000);

	it('shows a person who activates what is wrong', async () => {
		const poller = await start();
		cdrs = () => ({ status: 503, body: { message: 'closed' } });
		await expect(poller.poll('trigger', 'activate')).rejects.toThrow(/not available|closed/);
		cdrs = () => ({ status: 404, body: { message: 'no such account' } });
		await expect(poller.poll('trigger', 'init')).rejects.toThrow();
	}, 60_000);

	it('later polls of the same activation show errors again', async () => {
		const poller = await start();
		cdrs = () => ({ status: 500, body: { message: 'broken' } });
		expect(await poller.poll('trigger', 'init')).toBeNull();
		await expect(poller.poll('trigger', 'init')).rejects.toThrow(/failed|broken/);
	}, 60_000);

	it('"From Now On" counts from the activation, also when the first poll failed', async () => {
		const poller = await start();
		cdrs = () => ({ status: 500, body: {} });
		records = [record('before', 100)];
		expect(await poller.poll('trigger', 'init')).toBeNull();
		const clock = jest.spyOn(Date, 'now');
		const now = Date.now();
		clock.mockImplementation(() => now + 300_000);
		records.push(record('meanwhile', 120));
		cdrs = () => ({ body: { data: records, status: 'success' } });
		expect(await given(poller)).toEqual(['meanwhile']);
		expect(await poller.poll()).toBeNull();
		clock.mockRestore();
	});
});
