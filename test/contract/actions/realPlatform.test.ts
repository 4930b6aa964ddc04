import type { IDataObject } from 'n8n-workflow';

import type { Settings } from '../../../sandbox';
import { startPbx } from '../../support/sandbox';
import type { PbxUnderTest } from '../../support/sandbox';
import { startRoutingTrigger } from '../../support/trigger/routing';

const flow = { module: 'play', data: { id: 'm1' }, children: {} };
const json = { flowSource: 'json', flow: JSON.stringify(flow) };
const serviceUrl = 'https://n8n.example.com/webhook/route';

let pbx: PbxUnderTest;
const callflows = () => pbx.sandbox.pbx.firstAccount.callflows;
const put = (id: string, fields: IDataObject) =>
	callflows().put({ id, name: id, patterns: [], flow, ...fields } as never);
const writes = () =>
	pbx.sandbox.pbx.requests
		.list()
		.filter(({ method, row }) => method !== 'GET' && row.includes('/callflows'))
		.map(({ body }) => (body as { data: IDataObject & { flow: { data: IDataObject } } }).data);
const sentFormats = () => writes().map((data) => data.flow.data.req_format);

/** A Kazoo behind a provider: with numbers and checks of its own, and addresses as the contract has them. */
async function start(settings: Partial<Settings> = {}): Promise<void> {
	pbx = await startPbx({ settings: { profile: 'kazoo', voice_urls: 'dflow', ...settings } });
	pbx.credential.write({ platform: settings.platform ?? 'pbx' });
	for (const { id } of callflows().all()) callflows().remove(id);
}
afterEach(async () => await pbx.sandbox.close());

describe('numbers that a PBX stores with a plus sign', () => {
	beforeEach(async () => await start());

	it.each([
		['12125550145', '+12125550145', true],
		['+12125550145', '12125550145', true],
		['1 (212) 555-0145', '+12125550145', true],
		['101', '101', true],
		['+101', '101', false],
		['101', '+101', false],
		['1212555', '+1212555', false],
	])('%s finds the callflow with %s: %s', async (number, of, isFound) => {
		put('cf', { numbers: [of] });
		put('other', { numbers: ['+12125550180'] });
		const { items } = await pbx.run('callflow:getMany', { filters: { number } });
		expect(items.map(({ id }) => id)).toEqual(isFound ? ['cf'] : []);
	});

	it('lead to one callflow however often and in whichever form they are upserted', async () => {
		const isNew: unknown[] = [];
		for (const number of ['12125550145', '+12125550145', 12125550145, '1 212-555-0145']) {
			const [item] = await pbx.items('callflow:upsert', { ...json, number });
			isNew.push(item?.isNew);
		}
		expect(isNew).toEqual([true, false, false, false]);
		expect(callflows().all()).toMatchObject([{ numbers: ['+12125550145'] }]);
	});

	it('keep their form in an update, and new ones are added as they are given', async () => {
		put('cf', { numbers: ['+12125550145', '101'] });
		const updateFields = { numbers: '12125550145, 101, 12125550181' };
		await pbx.run('callflow:update', { callflowId: 'cf', updateFields });
		expect(writes()[0]?.numbers).toEqual(['+12125550145', '101', '12125550181']);
	});

	it('are the exact ones where two callflows have them in two forms', async () => {
		put('plain', { numbers: ['12125550145'] });
		put('plus', { numbers: ['+12125550145'] });
		const items = await pbx.items('callflow:upsert', { ...json, number: '+12125550145' });
		expect(items).toMatchObject([{ id: 'plus', isNew: false }]);
	});

	it('that are taken are refused in words', async () => {
		put('cf', { numbers: ['+12125550145'] });
		const { error } = await pbx.run('callflow:create', { ...json, numbers: '12125550145' });
		expect(error?.message).toBe('Numbers: Number +12125550145 exists in callflow cf cf');
		expect(error?.description).toContain('A number can belong to one callflow only.');
		expect(writes()).toHaveLength(1);
	});
});

describe('the response format of a pivot module', () => {
	const pivot = { flowSource: 'pivot', serviceUrl };

	/** A PBX that takes any format. */
	const anyFormat = { profile: 'contract' } as const;
	const kazoos = { platform: 'kazoos' };

	it.each<[string, { settings?: Partial<Settings> }, string[]]>([
		['that the PBX names', {}, ['pbx', 'kazoo', 'kazoo']],
		['of the family for kazoos', { settings: kazoos }, ['kazoo', 'kazoo']],
		['of the platform', { settings: { ...anyFormat, platform: 'voice' } }, ['voice', 'voice']],
	])('is the one %s', async (_, { settings }, sent) => {
		await start(settings);
		await pbx.items('callflow:create', { ...pivot, numbers: '555' });
		expect(sentFormats()).toEqual(sent);
	});

	it('is the user’s where the user names one, and the refusal says which are taken', async () => {
		await start();
		const additionalFields = { serviceFormat: 'mine' };
		const parameters = { ...pivot, numbers: '555', additionalFields };
		const { error } = await pbx.run('callflow:create', parameters);
		expect(sentFormats()).toEqual(['mine']);
		expect(error?.message).toContain('(accepted: "kazoo", "twiml")');
	});

	it('stays in an update, with whatever else the form does not set', async () => {
		const data = { method: 'POST', req_timeout: '9', req_format: 'own', debug: true };
		const old = { ...data, voice_url: 'http://old.example' };
		await start(anyFormat);
		put('cf', { numbers: ['555'], flow: { module: 'pivot', data: old, children: { _: flow } } });
		await pbx.items('callflow:update', { callflowId: 'cf', ...pivot });
		const voice_url = '{dflow}&callflow_id=cf&webserver=n8n.example.com/webhook/route';
		expect(callflows().get('cf')?.flow).toEqual({
			module: 'pivot',
			data: { ...data, voice_url },
			children: { _: flow },
		});
	});

	it('is taken for a routing workflow, too, and nothing of it is reported', async () => {
		await start();
		put('cf', { numbers: ['+12125550145'] });
		const trigger = await startRoutingTrigger(pbx.credential, 'cf');
		await trigger.activate();
		expect(sentFormats()).toEqual(['pbx', 'kazoo']);
		await trigger.pass(5);
		expect(trigger.reported).toEqual([]);
		await trigger.deactivate();
		expect(callflows().get('cf')?.flow).toEqual(flow);
		await trigger.close();
	});
});

it('computed fields are not written back, and all others are', async () => {
	const own = { ringback: { early: 'tone' }, flags: ['crm'], ui_metadata: { ui: 'console' } };
	const computed = { _rev: '1', pvt_type: 'callflow', disable_reason: 'x', metadata: { cf: {} } };
	await start({ profile: 'contract' });
	// A feature code is an object, or, in lists, a flag that is computed.
	for (const [featurecode, kept] of [
		[true, {}],
		[{ name: 'park' }, { featurecode: { name: 'park' } }],
	]) {
		put('cf', { numbers: ['101'], ...own, ...computed, featurecode });
		await pbx.run('callflow:update', { callflowId: 'cf', updateFields: { name: 'B' } });
		const expected = {
			name: 'B',
			numbers: ['101'],
			patterns: [],
			flow,
			...own,
			...(kept as object),
		};
		expect(writes().at(-1)).toEqual(expected);
	}
});
