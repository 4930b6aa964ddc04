import { startSandbox, type Sandbox, type Settings } from '../../sandbox';
import type { FaultOrder } from '../../sandbox/faults/schema';
import { freePort } from '../../tools/free-port';
import { checkPlatform } from '../../tools/platform/check';
import type { Permission } from '../../tools/platform/finding';
import { reportOf } from '../../tools/platform/report';
import { platformField } from '../support/profile';
import { senderOf } from '../../tools/platform/send';

let sandbox: Sandbox;
afterEach(async () => await sandbox.close());

const ALL: Permission[] = ['read', 'write', 'receive'];

/** Checks a sandbox, and places the call that the check asks for. Returns verdicts by feature, and the report. */
async function check(
	settings: Partial<Settings>,
	{
		permissions = ALL,
		fault,
		password,
	}: { permissions?: Permission[]; fault?: FaultOrder; password?: string } = {},
) {
	sandbox = await startSandbox({
		settings: { speed: 20, recording_delay_seconds: 0, ...settings },
	});
	const { identity } = sandbox.pbx.firstAccount;
	await sandbox.call({ from: '12125550123', to: '100' });
	if (fault) sandbox.pbx.faults.add(fault);
	sandbox.pbx.requests.clear();
	const port = await freePort();
	const results = await checkPlatform({
		credential: {
			baseUrl: sandbox.url,
			...identity,
			...platformField(settings),
			...(password && { password }),
		},
		send: senderOf(),
		permissions,
		receiver: { url: `http://127.0.0.1:${port}/events`, port },
		show: () => void sandbox.call({ from: '12125550123', to: '100' }),
	});
	const verdicts = Object.fromEntries(results.map(({ name, verdict }) => [name, verdict]));
	return { verdicts, report: reportOf(sandbox.url, results) };
}

const leftOver = () => [
	...sandbox.pbx.firstAccount.webhooks.all(),
	...sandbox.pbx.firstAccount.callflows.all().filter(({ name }) => name?.startsWith('n8n')),
];

describe('the check of a platform', () => {
	test.each(['contract', 'field', 'kazoo'] as const)(
		'finds nothing that breaks on the profile %s, and leaves nothing behind',
		async (profile) => {
			const { verdicts, report } = await check({ profile, local_addresses: 'accept' });
			expect(Object.values(verdicts)).toHaveLength(14);
			expect(report).not.toContain('## Breaks');
			expect(report.includes('## Not offered')).toBe(profile === 'contract');
			expect(report).not.toContain('## Not checked');
			expect(leftOver()).toEqual([]);
		},
	);

	test.each([
		['stopped', 404, "Your Kazoo doesn't offer recordings"],
		['empty', 200, "Your Kazoo's recordings endpoint returns nothing"],
	] as const)('says that the recordings of a Kazoo are %s', async (_, status, words) => {
		const fault = { kind: 'status', path: '*/recordings/*', status, body: null } as const;
		const { verdicts, report } = await check(
			{ profile: 'kazoo' },
			{ permissions: ['read'], fault },
		);
		expect(verdicts['Download recordings']).toBe('breaks');
		expect(report).toContain(words);
		expect(report).toMatch(/, 1 breaks|Of \d+ features, 1 breaks/);
	});

	test('only reads, unless it is allowed to write', async () => {
		const { report } = await check({}, { permissions: ['read'] });
		const methods = sandbox.pbx.requests.list().map(({ method, path }) => `${method} ${path}`);
		expect(methods.filter((line) => !line.startsWith('GET'))).toEqual(['PUT /v1/pbx/user_auth']);
		expect(report).toContain('- Register a webhook (with --write)');
	});

	test('a wrong password ends the check', async () => {
		const { verdicts, report } = await check({}, { password: 'wrong' });
		expect(verdicts).toMatchObject({ 'Log in': 'breaks', 'List callflows': undefined });
		expect(report).toContain("doesn't accept the login, password, or realm");
		expect(report).not.toContain('wrong');
	});

	test('says what breaks: events without the custom data of their webhook', async () => {
		const { verdicts, report } = await check({ custom_data_placement: 'none' });
		expect(verdicts['Receive call events']).toBe('breaks');
		expect(report).toContain('Turn off Verify Deliveries');
	});

	test('says what could not be removed', async () => {
		const fault: FaultOrder = {
			kind: 'status',
			method: 'DELETE',
			path: '/accounts/*/webhooks/*',
			status: 503,
		};
		const { verdicts, report } = await check({}, { permissions: ['read', 'write'], fault });
		expect(verdicts['Register a webhook']).toBe('breaks');
		expect(report).toMatch(/Remove "n8n platform check" \(ID [\da-f]+\) by hand/);
	});

	test('removes the webhooks of a check that breaks off', async () => {
		const fault: FaultOrder = { kind: 'status', method: 'PUT', path: '*/webhooks', status: 503 };
		const { verdicts, report } = await check({}, { fault: { ...fault, skip: 2 } });
		expect(verdicts['Receive call events']).toBe('breaks');
		expect(report).not.toContain('by hand');
		expect(leftOver()).toEqual([]);
	});

	test('attempts that cannot be read do no harm', async () => {
		const fault: FaultOrder = {
			kind: 'status',
			path: '/accounts/*/webhooks/attempts',
			status: 404,
		};
		const { verdicts } = await check({}, { permissions: ['read'], fault });
		expect(verdicts['Read delivery attempts']).toBe('differs');
	});
});
