import { SANDBOX_LOGIN } from '../../../tools/sandbox-client';
import { storeCredential } from '../../support/core';
import { recorded } from '../../support/corpus';
import { credentialOf, operate } from '../../support/operate';
import { searchesOf, usePbx } from '../../support/sandbox';
import { startScriptedPbx } from '../../support/scriptedPbx';

const day = 86_400_000;
const range = {
	after: new Date(Date.now() - day).toISOString(),
	before: new Date(Date.now() + day).toISOString(),
	returnAll: true,
	simplify: false,
};
const byField = (name: string, value: unknown) => ({
	...range,
	filters: { fields: { field: [{ name, value: String(value) }] } },
});

it('by Call ID, a Kazoo is asked as a real one answers, and its records are returned', async () => {
	const stored = recorded('cdrs of a call, by the field as stored');
	const listed = recorded('cdrs of a call, by the field as listed');
	const name = 'filter_custom_channel_vars.bridge_id';
	const callId = new URL(stored.request.path, 'http://a').searchParams.get(name) ?? '';
	const pbx = await startScriptedPbx(({ path, query }) => {
		if (!path.endsWith('/cdrs')) return undefined;
		return { body: query.get(name) === callId ? stored.body : listed.body };
	});
	const credential = await credentialOf(pbx, { ...SANDBOX_LOGIN, dialect: 'kazoo' });
	const parameters = { ...range, after: '2026-11-28', before: '2026-11-29', filters: { callId } };
	const { items } = await operate(credential, 'cdr:getMany', parameters);
	await pbx.close();
	expect(items).toEqual(stored.body.data);
	expect(items).toHaveLength(3);
});

describe('call records of a Kazoo', () => {
	const pbx = usePbx({ settings: { profile: 'kazoo', speed: 1000 } });
	beforeEach(async () => {
		await pbx.sandbox.call({ from: '12125550123', to: '12125550100' });
		pbx.sandbox.pbx.requests.clear();
	});
	const sent = () => Object.keys(searchesOf(pbx)[0] ?? {}).filter((name) => /^filter/.test(name));

	it.each([
		['direction', 'filter_call_direction'],
		['CALL_DIRECTION', 'filter_call_direction'],
		['hangup_cause', 'filter_hangup_cause'],
		['bridge_id', 'filter_custom_channel_vars.bridge_id'],
		['custom_channel_vars.bridge_id', 'filter_custom_channel_vars.bridge_id'],
		['custom_channel_vars.Bridge-ID', 'filter_custom_channel_vars.bridge_id'],
		['billing_seconds', 'filter_billing_seconds'],
	])('are filtered by %s under the name that it is stored by', async (name, filter) => {
		const all = await pbx.items('cdr:getMany', range);
		pbx.sandbox.pbx.requests.clear();
		const shown = name === 'CALL_DIRECTION' ? 'direction' : name;
		const value = all[0]?.[/^custom/.test(name) ? 'bridge_id' : shown];
		const found = await pbx.items('cdr:getMany', byField(name, value));
		expect(sent()).toEqual([filter]);
		expect(found).toContainEqual(all[0]);
	});

	it.each(['dialed_number', 'unix_timestamp', 'media_recordings', 'iso_8601'])(
		'are compared by %s here, since a Kazoo computes it for its list only',
		async (name) => {
			const all = await pbx.items('cdr:getMany', range);
			pbx.sandbox.pbx.requests.clear();
			const [sample = {}] = all.filter((one) => String(one[name]) !== '');
			const found = await pbx.items('cdr:getMany', byField(name, sample[name]));
			expect(sent()).toEqual([]);
			expect(found).toContainEqual(sample);
			expect(await pbx.items('cdr:getMany', byField(name, 'x'))).toEqual([]);
		},
	);

	it.each(['rec_file', 'custom_channel_var.owner_id', 'custom_channel_vars.', '.'])(
		'have no field %s: nothing is sent, and the filter is named',
		async (name) => {
			const { error } = await pbx.run('cdr:getMany', byField(name, 'a.mp3'));
			expect(error?.message).toBe(`Call records of a Kazoo have no field "${name}"`);
			expect(searchesOf(pbx)).toEqual([]);
		},
	);
});

describe('numbers of a callflow', () => {
	const pbx = usePbx({ settings: { profile: 'kazoo' } });
	const flow = JSON.stringify({ module: 'hangup', data: {}, children: {} });
	const parameters = { flowSource: 'json', flow };

	const WAYS = [
		['callflow:create', (numbers: string) => ({ ...parameters, numbers })],
		['callflow:upsert', (number: string) => ({ ...parameters, number })],
	] as const;

	it.each([
		['+7 495 123-45-69', '+74951234569'],
		['(212) 555-0123', '+2125550123'],
		['44 20.7946.0012', '+442079460012'],
		['1\u201102\u00a03', '1023'],
		['*98', '*98'],
		['sales', 'sales'],
	])('%s are stored as %s', async (number, stored) => {
		for (const [name, given] of WAYS)
			expect(await pbx.items(name, given(number))).toMatchObject([{ numbers: [stored] }]);
	});

	it.each(['1212 555 0123 ext 5', 'sales desk', '+', '('])(
		'%s are refused, since no call can reach them',
		async (number) => {
			for (const [name, given] of WAYS) {
				const { error } = await pbx.run(name, given(number));
				expect(error?.message).toContain(`contains "${number}", which no call can reach`);
			}
			expect(pbx.sandbox.pbx.requests.list()).toEqual([]);
		},
	);

	it('replace the same number with punctuation, which no call reached', async () => {
		const { callflows } = pbx.sandbox.pbx.firstAccount;
		const typed = recorded('callflow, number with spaces (stored as it is)');
		const { numbers } = typed.body.data as { numbers: string[] };
		const id = 'typed';
		callflows.put({ id, name: id, patterns: [], numbers, flow: JSON.parse(flow) } as never);
		const updateFields = { numbers: numbers.join() };
		await pbx.items('callflow:update', { callflowId: id, updateFields });
		expect(callflows.get(id)?.numbers).toEqual(['+74951234569']);
	});
});

describe('callflows on a stock Kazoo', () => {
	const NUMBER = '74957770001';
	const pbx = usePbx({ settings: { profile: 'kazoo' } });
	const pivot = {
		...{ number: NUMBER, flowSource: 'pivot' },
		serviceUrl: 'https://n8n.example.com/webhook/route',
	};

	it('are created inside the account, with a response format that it knows', async () => {
		const [item] = await pbx.items('callflow:upsert', { ...pivot, name: 'Route' });
		const voice_url = `${pivot.serviceUrl}?callflow_id=${String(item?.id)}`;
		expect(await pbx.ask('GET', `callflows/${String(item?.id)}`)).toMatchObject({
			name: 'Route',
			numbers: [`+${NUMBER}`],
			flow: { data: { req_format: 'kazoo', method: 'get', voice_url } },
		});
	});

	it('get no address that Kazoo does not take, and say so', async () => {
		const ownPlatform = await storeCredential({ ...pbx.credential.read(), dialect: 'contract' });
		const refused = await operate(ownPlatform, 'callflow:upsert', pivot);
		expect(refused.error?.message).toContain('invalid client URL');
		expect(refused.error?.description).toMatch(
			/doesn't know {dflow}.*set 'API' to 'Kazoo \(\/v2\)'/,
		);
		const serviceUrl = 'http://localhost:5678/webhook/route';
		const local = await pbx.run('callflow:upsert', { ...pivot, serviceUrl });
		expect(local.error?.description).toContain("Kazoo doesn't call 127.0.0.1, localhost");

		const additionalFields = { serviceTimeout: 6 };
		const long = await pbx.run('callflow:upsert', { ...pivot, additionalFields });
		expect(long.error?.message).toContain('at most 5 seconds');
		expect(pbx.sandbox.pbx.firstAccount.callflows.match(NUMBER)).toBeUndefined();
	});
});
