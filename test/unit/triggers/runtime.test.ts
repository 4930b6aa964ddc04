import type { ITriggerFunctions } from 'n8n-workflow';

import {
	deliveryAddress,
	otherSide,
	whyUnreachable,
	reachOf,
} from '../../../nodes/VirtualPbx/triggers/runtime/address';
import { HealthReporter } from '../../../nodes/VirtualPbx/triggers/runtime/nodeRuntime';

const N8N = 'https://n8n.example.com/webhook/id-1/webhook';
const BELOW = 'https://n8n.example.com/n8n/webhook/id-1/webhook';
const ROUTING = 'https://n8n.example.com/webhook-test/id-2/routing';

describe('the address that the PBX is told', () => {
	it.each([
		[N8N, undefined, N8N],
		[N8N, 'http://hooks.example.com', 'http://hooks.example.com/webhook/id-1/webhook'],
		[N8N, ' http://hooks.example.com/ ', 'http://hooks.example.com/webhook/id-1/webhook'],
		[N8N, 'http://Hooks.example.com:80', 'http://hooks.example.com/webhook/id-1/webhook'],
		[N8N, 'http://10.0.0.7:5678', 'http://10.0.0.7:5678/webhook/id-1/webhook'],
		[N8N, 'https://p.example.com/pbx/', 'https://p.example.com/pbx/webhook/id-1/webhook'],
		[N8N, 'https://p.example.com/webhook', 'https://p.example.com/webhook/webhook/id-1/webhook'],
		[BELOW, 'http://p.example.com', 'http://p.example.com/n8n/webhook/id-1/webhook'],
		[BELOW, 'http://p.example.com/n8n', 'http://p.example.com/n8n/webhook/id-1/webhook'],
		[BELOW, 'http://p.example.com/x/n8n', 'http://p.example.com/x/n8n/webhook/id-1/webhook'],
		[ROUTING, 'http://p.example.com', 'http://p.example.com/webhook-test/id-2/routing'],
	])('of %s is, with %j entered, %s', (url, given, expected) => {
		expect(deliveryAddress(url, given)).toEqual({ url: expected });
	});

	it.each<[RegExp, unknown[]]>([
		[/is empty/, ['', '  ', 5]],
		[/isn't a web address/, ['hooks.example.com', 'ftp://hooks.example.com', 'https://']],
		[/isn't a web address/, ['https:///x', 'http://a b']],
		[/user name or password/, ['http://me:secret@hooks.example.com']],
		[/query/, ['http://hooks.example.com?x=1']],
		[/fragment/, ['http://hooks.example.com/#']],
		[/path of a webhook/, ['http://hooks.example.com/webhook/id-1/webhook']],
		[/path of a webhook/, ['http://hooks.example.com/a/webhook-test/id-9/webhook/']],
	])('is refused with %s when one of these was entered: %j', (fault, entered) => {
		for (const given of entered) {
			const refused = deliveryAddress(N8N, given as string);
			expect(refused).toEqual({
				...{ fault: expect.stringMatching(fault), hint: expect.any(String) },
			});
			expect(JSON.stringify(refused)).not.toContain('secret');
		}
	});

	it('has another side for tests', () => {
		expect(otherSide(N8N)).toBe('https://n8n.example.com/webhook-test/id-1/webhook');
		expect(otherSide(otherSide(N8N))).toBe(N8N);
		expect(otherSide('https://x/y')).toBe('https://x/y');
	});
});

it.each([
	['local', 'localhost 127.0.0.1 127.8.0.1 0.0.0.0 [::1] n8n.localhost host.docker.internal'],
	['private', '10.1.2.3 172.16.0.1 172.31.255.1 192.168.1.5 169.254.1.1 100.64.0.1 100.127.0.1'],
	['private', '[fd00::1] [fe80::1] n8n office.local n8n.lan n8n.home.arpa'],
	['public', '172.15.0.1 172.32.0.1 100.128.0.1 192.169.0.1 8.8.8.8 [2a00:1450::1]'],
	['public', 'n8n.example.com N8N.Example.com. local.example.com fdn.example'],
])('%s hosts are %s', (reach, hosts) => {
	expect(hosts.split(' ').filter((host) => reachOf(host) !== reach)).toEqual([]);
});

it.each([
	['http://localhost:5678', 'https://pbx.example.com', false],
	['http://192.168.1.5:5678', 'https://pbx.example.com', false],
	['http://n8n.local', 'https://pbx.example.com', false],
	['http://localhost:5678', 'http://192.168.1.9:8000', false],
	['http://localhost:5678', 'http://pbx:8000', false],
	['http://localhost:5678', 'http://localhost:8000', true],
	['http://127.0.0.1:5678', 'http://localhost:8000', true],
	['http://localhost:5678', 'http://host.docker.internal:8000', true],
	['http://192.168.1.5:5678', 'http://127.0.0.1:8000', true],
	['http://192.168.1.5:5678', 'http://192.168.1.9:8000', true],
	['http://n8n:5678', 'http://pbx:8000', true],
	['http://10.0.0.5:5678', 'http://10.0.0.5:8000', true],
	['https://n8n.example.com', 'https://pbx.example.com', true],
	['https://n8n.example.com', 'http://192.168.1.9', true],
	['https://n8n.example.com', 'http://localhost:8000', true],
])('an n8n at %s can be called from a PBX at %s: %s', (url, baseUrl, isReachable) => {
	const reason = whyUnreachable(`${url}/webhook/x`, baseUrl);
	expect(reason === undefined).toBe(isReachable);
	if (reason) expect(reason.description).toMatch(/N8N_WEBHOOK_URL \(WEBHOOK_URL/);
});

it.each(['a.example refuses the connection', 'a.example refuses the connection.'])(
	'a problem, "%s", and what to do about it are two sentences in the log',
	(message) => {
		const warn = jest.fn();
		const context = {
			logger: { warn },
			getNode: () => ({ name: 'N' }),
			getWorkflow: () => ({ name: 'W' }),
		} as unknown as ITriggerFunctions;
		const remedy = "Check 'Base URL' in the Virtual PBX credential.";
		new HealthReporter(context, 'Trigger', () => false).report({
			subject: 's',
			key: 'k',
			message,
			remedy,
		});
		expect(warn).toHaveBeenCalledWith(
			`Trigger "N" in "W": a.example refuses the connection. ${remedy}`,
		);
	},
);
