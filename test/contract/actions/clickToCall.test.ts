import type { IDataObject } from 'n8n-workflow';
import { WAITS } from '../../../nodes/VirtualPbx/triggers/callRecord/calls';
import type { Settings } from '../../../sandbox';
import type { FaultOrder } from '../../../sandbox/faults/schema';
import { makeRecordTrigger, searchList } from '../../support/core';
import type { PbxUnderTest } from '../../support/sandbox';
import { startPbx } from '../../support/sandbox';

const PROFILES = ['field', 'kazoo'] as const;
const DIALED = '12125550123';
const open: PbxUnderTest[] = [];

afterEach(async () => {
	for (const pbx of open.splice(0)) await pbx.sandbox.close();
});

interface Person {
	extension: string;
	name: string;
	presence_id?: string;
	email?: string;
	devices: Array<{ name: string; enabled?: boolean; connected?: boolean }>;
}

const desk = { name: 'Desk phone' };
const people: Person[] = [
	{ extension: '100', name: 'Ann Berg', email: 'ann@example.com', devices: [desk] },
	{ extension: '101', name: 'Ben Cole', devices: [desk, { name: 'Softphone' }] },
	{ extension: '102', name: 'Cat Dunn', devices: [] },
	{ extension: '103', name: 'Dan Eck', devices: [{ ...desk, enabled: false }] },
	{ extension: '104', name: 'Eve Fox', devices: [{ ...desk, connected: false }] },
	{ extension: '105', name: 'Fay \u202EGill\u202C "Jr." <b>', presence_id: '', devices: [desk] },
];

async function start(
	profile: Settings['profile'],
	users: Person[] = people,
	settings: Partial<Settings> = {},
): Promise<PbxUnderTest> {
	const login = { login: 'demo', password: 'demo-password', realm: 'demo.sandbox.local' };
	const seed = { accounts: [{ name: 'Co', ...login, users }] } as never;
	const pbx = await startPbx({ seed, settings: { profile, speed: 10_000, ...settings } });
	open.push(pbx);
	return pbx;
}

const rl = (mode: string, value: string) => ({ __rl: true, mode, value });
const by = (value: string) => rl('extension', value);
const phoneOf = ({ sandbox }: PbxUnderTest, extension: string, index = 0) =>
	sandbox.pbx.firstAccount.user({ extension })?.devices[index]?.id ?? '';
const call = async (pbx: PbxUnderTest, employee: unknown, number: unknown = DIALED, options = {}) =>
	await pbx.run('call:start', { employee, number, options } as never);
const sent = ({ sandbox }: PbxUnderTest) =>
	sandbox.pbx.requests.list().filter(({ path }) => path.includes('/quickcall/'));
const calls = ({ sandbox }: PbxUnderTest) => sandbox.exchange.list().map((one) => one.view());

describe.each(PROFILES)('Call → Start on the profile %s', (profile) => {
	it.each(['extension', 'device', 'list'])('starts one call, %s', async (mode) => {
		const pbx = await start(profile);
		const { id: user, devices } = pbx.sandbox.pbx.firstAccount.user({ extension: '100' }) ?? {};
		const id = devices?.[0]?.id ?? '';
		const value = { extension: '100', device: id, list: `users/${user}` }[mode] ?? '';
		const { items, error } = await call(pbx, rl(mode, value), '+1 (212) 555-0123');

		expect(error).toBeUndefined();
		expect(sent(pbx)).toHaveLength(1);
		expect(calls(pbx)).toMatchObject([{ from: '100', to: '+12125550123' }]);
		const callId = profile === 'kazoo' ? calls(pbx)[0]?.bridge_id : null;
		expect(items).toMatchObject([
			{ number: '+12125550123', devices: [{ id, name: 'Desk phone' }], callId },
		]);
	});

	it('rings all phones of an employee, once each', async () => {
		const pbx = await start(profile);
		const { items } = await call(pbx, by('101'));

		expect(items).toMatchObject([{ employee: '101', devices: [desk, { name: 'Softphone' }] }]);
		expect(sent(pbx)).toMatchObject([{ path: expect.stringContaining('/users/') }]);
		const { exchange } = pbx.sandbox;
		expect(exchange.list()).toHaveLength(1);

		await Promise.all(exchange.list().map(async (one) => await exchange.settled(one, 'ended')));
		expect(await pbx.items('call:getMany', { returnAll: true })).toMatchObject([
			{ callType: 'outgoing', employee: '101', customerNumber: DIALED, outcome: 'answered' },
		]);
	});

	it('starts one call per item, in order', async () => {
		const pbx = await start(profile);
		const items = ['1001', '1002', '1003'].map((to) => ({ to }));
		const parameters = { employee: by('100'), number: '={{ $json.to }}', options: {} };
		await pbx.run('call:start', parameters as never, { items });
		expect(calls(pbx).map(({ to }) => to)).toEqual(['1001', '1002', '1003']);
	});

	it('shows a caller ID, and picks up only if asked', async () => {
		const pbx = await start(profile);
		await call(pbx, by('100'), DIALED, { callerId: '+1 212 555 0100', autoAnswer: true });
		await call(pbx, by('100'));
		const [first, second] = sent(pbx).map(({ path }) => new URL(path, 'http://pbx').searchParams);
		expect(Object.fromEntries(first ?? [])).toEqual({
			'cid-number': '+12125550100',
			auto_answer: 'true',
		});
		expect(second?.get('auto_answer')).toBe(profile === 'kazoo' ? 'false' : null);
	});

	it('says why an extension or a device can’t call, before anything rings', async () => {
		const pbx = await start(profile);
		for (const [employee, words] of [
			[by('102'), /^Employee 102 has no phone$/],
			[by('103'), /^All phones of employee 103 are turned off/],
			[by('777'), /^No employee has the extension 777$/],
			[rl('device', 'nobody'), /^The PBX has no device nobody$/],
			[rl('device', phoneOf(pbx, '103')), /^The device Desk phone is turned off in the PBX$/],
		] as const)
			expect((await call(pbx, employee)).error?.message).toMatch(words);
		expect(sent(pbx)).toEqual([]);
	});

	it.each([
		[{ kind: 'status', status: 401 }, /doesn't allow this user to start calls/],
		[{ kind: 'status', status: 403 }, /doesn't allow this user to start calls/],
		[{ kind: 'status', status: 404 }, /Your PBX doesn't offer click to call/],
		[{ kind: 'status', status: 429, headers: { 'retry-after': '0' } }, /couldn't be started/],
		[{ kind: 'status', status: 503, when: 'after' }, /couldn't be started/],
		[{ kind: 'status', status: 401, when: 'after' }, /doesn't allow this user/],
		[{ kind: 'drop', when: 'after' }, /No response from the PBX/],
		[{ kind: 'status', status: 202, when: 'after', body: '{"data":' }, /cut off/],
	])('sends no second request after %j', async (fault, message) => {
		const pbx = await start(profile);
		pbx.sandbox.pbx.faults.add({ ...fault, path: '*/quickcall/*', times: 1 } as FaultOrder);
		const { error } = await call(pbx, by('100'));
		expect(error?.message).toMatch(message);
		expect(pbx.sandbox.pbx.faults.list()).toMatchObject([{ seen: 1 }]);
		expect(calls(pbx).length).toBeLessThan(2);
	});

	it('logs in again before it rings, if the token has expired', async () => {
		const pbx = await start(profile);
		await call(pbx, by('100'));
		pbx.sandbox.pbx.tokens.expire();
		const { error } = await call(pbx, rl('device', phoneOf(pbx, '100')));
		expect(error).toBeUndefined();
		expect(sent(pbx).map(({ status }) => status)).toEqual([202, 202]);
	});
});

it('says on a Kazoo that the phone isn’t connected', async () => {
	const pbx = await start('kazoo');
	const { error } = await call(pbx, by('104'));
	expect(error?.message).toBe(
		"The call from 104 to 12125550123 couldn't be started: the phone isn't connected to the PBX",
	);
	expect(calls(pbx)).toEqual([]);
});

it.each([
	[{ error_message: 'NO_ROUTE_DESTINATION' }, ' (NO_ROUTE_DESTINATION)', 'Try again later'],
	[{ message: 'timeout' }, '', 'The phone might ring anyway: check before you run this again.'],
])('says why a Kazoo gave up, and what to do: %j', async (data, cause, advice) => {
	const pbx = await start('kazoo');
	const body = { data, error: '500', message: 'quickcall initiation failed', status: 'error' };
	const fault = { kind: 'status', status: 500, path: '*/quickcall/*', body } as const;
	pbx.sandbox.pbx.faults.add(fault as never);
	const { error } = await call(pbx, by('100'));
	const headline = "The call from 100 to 12125550123 couldn't be started";
	expect(error?.message).toBe(`${headline}${cause}`);
	expect(error?.description).toContain(advice);
	// Never both: the phone might ring, and try again.
	expect(error?.description?.match(/ring anyway|Try again/g)).toHaveLength(1);
});

it('uses GET on a Kazoo before 4.2, which responds to POST with 405', async () => {
	const pbx = await start('kazoo');
	const fault = { status: 405, method: 'POST', path: '*/quickcall/*' } as const;
	pbx.sandbox.pbx.faults.add({ kind: 'status', ...fault });
	const { items } = await call(pbx, by('100'));
	const [placed, ...others] = calls(pbx);
	expect([items[0]?.callId, others]).toEqual([placed?.bridge_id, []]);
});

it('can call from an extension that the list of users lacks, on a Kazoo', async () => {
	const pbx = await start('kazoo');
	expect((await call(pbx, by('105'))).items).toMatchObject([{ employee: '105' }]);
});

it('refuses an extension that several employees have', async () => {
	const twin = { extension: '200', name: 'Gus Hall', presence_id: '100', devices: [desk] };
	const pbx = await start('field', [...people, twin]);
	const { error } = await call(pbx, by('100'));
	expect(error?.message).toBe('Extension 100 belongs to several employees: Ann Berg, Gus Hall');
	expect(sent(pbx)).toEqual([]);
});

it.each([by('100'), rl('device', 'd1'), rl('list', 'users/u1')])(
	'says on a PBX without it that it isn’t offered: %j',
	async (employee) => {
		const pbx = await start('contract');
		const { error } = await call(pbx, employee);
		expect(error?.message).toBe("Your PBX doesn't offer click to call");
		expect(error?.description).toMatch(/Ask your provider for `devices`/);
	},
);

describe('Employee > Get Many', () => {
	const many = (length: number): Person[] =>
		Array.from({ length }, (_, n) => {
			return { extension: String(10_000 + n), name: `User ${n}`, devices: [desk] };
		});

	it.each(PROFILES)(
		'returns extensions, names, email addresses, and devices: %s',
		async (profile) => {
			const pbx = await start(profile);
			const items = await pbx.items('employee:getMany', { returnAll: true });
			expect(items).toMatchObject([
				{ extension: '100', name: 'Ann Berg', email: 'ann@example.com', devices: [desk] },
				{ extension: '101', name: 'Ben Cole', email: null, devices: [desk, { name: 'Softphone' }] },
				{ extension: '102', devices: [] },
				{ extension: '103', devices: [{ enabled: false }] },
				{ extension: '104', devices: [{ type: 'sip_device', username: 'user_104_1' }] },
				{ extension: null, name: 'Fay Gill "Jr." <b>' },
			]);
			expect(await pbx.items('employee:getMany', { returnAll: false, limit: 2 })).toHaveLength(2);
		},
	);

	it('reads many users in pages', async () => {
		const pbx = await start('field', many(1200), { page_size: 500 });
		const items = await pbx.items('employee:getMany', { returnAll: true });
		expect(new Set(items.map(({ extension }) => extension)).size).toBe(1200);
		expect(items.every(({ devices }) => (devices as unknown[]).length === 1)).toBe(true);
		expect((await call(pbx, by('11199'))).items).toMatchObject([{ employee: '11199' }]);
	});

	it('asks a Kazoo for long pages, since it has 50 entries in one', async () => {
		const pbx = await start('kazoo', many(300));
		expect(await pbx.items('employee:getMany', { returnAll: true })).toHaveLength(300);
		const lists = pbx.sandbox.pbx.requests.list().filter(({ method }) => method === 'GET');
		expect(lists).toHaveLength(2);
	});

	it('says that a PBX doesn’t list employees', async () => {
		const { error } = await (await start('contract')).run('employee:getMany');
		expect(error?.message).toBe("Your PBX doesn't list its employees");
	});

	const search = async (pbx: PbxUnderTest, method: string, filter: string, type = 'virtualPbx') =>
		(await searchList({ type, credential: pbx.credential, method, filter })).results;

	it('is a list to choose from, of devices if the PBX only has those', async () => {
		const pbx = await start('field');
		const find = async (filter: string) =>
			(await search(pbx, 'searchEmployees', filter)).map(({ name, value }) => [
				name,
				String(value).split('/')[0],
			]);
		expect(await find('berg')).toEqual([['Ann Berg (100, ann@example.com)', 'users']]);
		expect(await find('102')).toEqual([]);
		pbx.sandbox.pbx.faults.add({ kind: 'status', status: 404, path: '*/users' });
		expect(await find('user_100')).toEqual([['Desk phone (user_100_1)', 'devices']]);
	});

	it('is a list of extensions or users for a routing step, which takes either form', async () => {
		const pbx = await start('field');
		const id = pbx.sandbox.pbx.firstAccount.user({ extension: '100' })?.id;
		for (const [method, value] of [
			['searchExtensions', '100'],
			['searchUsers', id],
		] as const)
			expect(await search(pbx, method, 'ann', 'virtualPbxRoutingTrigger')).toMatchObject([
				{ value },
			]);
		const step = [
			{ type: 'extension', extension: rl('list', '100') },
			{ extension: rl('value', '101') },
			{ type: 'id', id: rl('value', 'u1') },
			{ type: 'extension', extension: '102' },
		];
		const operations = [
			...['100', '101'].map((extension) => ({ type: 'extension', extension })),
			...[
				{ type: 'id', id: 'u1' },
				{ type: 'extension', extension: '102' },
			],
		];
		const built = await pbx.items('routing:buildAnswer', { steps: { step } } as never);
		expect(built).toEqual([{ operations }]);
	});
});

describe('Look Up Employees', () => {
	const options = { includeDetails: true, lookUpEmployees: true };
	const users = ['100', '101', '102'];
	const addCalls = async ({ client }: PbxUnderTest) => {
		const call = { CALL_DIRECTION: 'outbound', CALLEE_ID_NUMBER: DIALED };
		for (const from of users) {
			const CALLER_ID_NUMBER = from === '101' ? 'user_101_2' : from;
			await client.addRecords([{ ...call, BRIDGE_ID: `call-${from}`, CALLER_ID_NUMBER }]);
		}
	};
	const whoCalled = (items: IDataObject[]) =>
		items
			.map(({ details }) => details as IDataObject)
			.map(({ employeeName, employeeEmail }) => [employeeName, employeeEmail])
			.sort();
	const found = [
		['Ann Berg', 'ann@example.com'],
		['Ben Cole', null],
		['Cat Dunn', null],
	];

	it('fills in the names and emails that calls lack, from one list per execution', async () => {
		const pbx = await start('kazoo', people);
		await addCalls(pbx);
		const list = async (options: object) =>
			whoCalled(await pbx.items('call:getMany', { returnAll: true, options } as never));
		expect(await list({ includeDetails: true })).toEqual(users.map(() => [null, undefined]));
		expect(await list(options)).toEqual(found);
		const asked = pbx.sandbox.pbx.requests.list().filter(({ path }) => /\/users\b/.test(path));
		expect(asked).toHaveLength(1);
	});

	it.each(PROFILES)('fills them in for the record trigger on the profile %s', async (profile) => {
		WAITS.settleMs = 0;
		const pbx = await start(profile, people);
		await addCalls(pbx);
		const [type, { credential }] = ['virtualPbxRecordTrigger', pbx] as const;
		const parameters = { firstRun: 'last', options };
		const trigger = await makeRecordTrigger({ type, credential, parameters });
		expect(whoCalled((await trigger.poll()) ?? [])).toEqual(found);
	});

	it('returns calls without them where the PBX doesn’t list employees, and says so', async () => {
		const pbx = await start('contract');
		await addCalls(pbx);
		const parameters = { returnAll: true, options } as never;
		const run = await pbx.run('call:getMany', parameters, { items: [{}, {}] });
		expect(run.error).toBeUndefined();
		expect(whoCalled(run.items)).toEqual([...users, ...users].map(() => [null, null]));
		expect(run.hints).toEqual([
			"Your PBX doesn't list its employees, so their names and emails are missing.",
		]);
		pbx.sandbox.pbx.faults.add({ kind: 'status', status: 500, path: '*/users', times: 99 });
		expect((await pbx.run('call:getMany', { options } as never)).error?.message).toBe(
			"Employees couldn't be read: the PBX couldn't process the request",
		);
	});
});
