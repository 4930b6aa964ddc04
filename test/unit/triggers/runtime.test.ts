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

	it.each([
		['', /is empty/],
		['  ', /is empty/],
		[5, /is empty/],
		['hooks.example.com', /isn't a web address/],
		['ftp://hooks.example.com', /isn't a web address/],
		['https://', /isn't a web address/],
		['https:///x', /isn't a web address/],
		['http://a b', /isn't a web address/],
		['http://me:secret@hooks.example.com', /user name or password/],
		['http://hooks.example.com?x=1', /query/],
		['http://hooks.example.com/#', /fragment/],
		['http://hooks.example.com/webhook/id-1/webhook', /path of a webhook/],
		['http://hooks.example.com/a/webhook-test/id-9/webhook/', /path of a webhook/],
	])('is refused when %j was entered', (given, fault) => {
		expect(deliveryAddress(N8N, given)).toEqual({
			fault: expect.stringMatching(fault),
			hint: expect.any(String),
		});
	});

	it('is not repeated in the refusal of one with a password', () => {
		expect(JSON.stringify(deliveryAddress(N8N, 'http://me:hush@x'))).not.toContain('hush');
	});

	it('has another side for tests', () => {
		expect(otherSide(N8N)).toBe('https://n8n.example.com/webhook-test/id-1/webhook');
		expect(otherSide(otherSide(N8N))).toBe(N8N);
		expect(otherSide('https://x/y')).toBe('https://x/y');
	});
});

describe('from where a host can be called', () => {
	it.each([
		['localhost', 'local'],
		['127.0.0.1', 'local'],
		['127.8.0.1', 'local'],
		['0.0.0.0', 'local'],
		['[::1]', 'local'],
		['n8n.localhost', 'local'],
		['host.docker.internal', 'local'],
		['10.1.2.3', 'private'],
		['172.16.0.1', 'private'],
		['172.31.255.1', 'private'],
		['192.168.1.5', 'private'],
		['169.254.1.1', 'private'],
		['100.64.0.1', 'private'],
		['100.127.0.1', 'private'],
		['[fd00::1]', 'private'],
		['[fe80::1]', 'private'],
		['n8n', 'private'],
		['office.local', 'private'],
		['n8n.lan', 'private'],
		['n8n.home.arpa', 'private'],
		['172.15.0.1', 'public'],
		['172.32.0.1', 'public'],
		['100.128.0.1', 'public'],
		['192.169.0.1', 'public'],
		['8.8.8.8', 'public'],
		['[2a00:1450::1]', 'public'],
		['n8n.example.com', 'public'],
		['N8N.Example.com.', 'public'],
		['local.example.com', 'public'],
		['fdn.example', 'public'],
	])('%s is %s', (host, reach) => {
		expect(reachOf(host)).toBe(reach);
	});
});

describe('whether a PBX can call a URL', () => {
	it.each([
		['http://localhost:5678/webhook/x', 'https://pbx.example.com', false],
		['http://192.168.1.5:5678/webhook/x', 'https://pbx.example.com', false],
		['http://n8n.local/webhook/x', 'https://pbx.example.com', false],
		['http://localhost:5678/webhook/x', 'http://192.168.1.9:8000', false],
		['http://localhost:5678/webhook/x', 'http://pbx:8000', false],
		['http://localhost:5678/webhook/x', 'http://localhost:8000', true],
		['http://127.0.0.1:5678/webhook/x', 'http://localhost:8000', true],
		['http://localhost:5678/webhook/x', 'http://host.docker.internal:8000', true],
		['http://192.168.1.5:5678/webhook/x', 'http://127.0.0.1:8000', true],
		['http://192.168.1.5:5678/webhook/x', 'http://192.168.1.9:8000', true],
		['http://n8n:5678/webhook/x', 'http://pbx:8000', true],
		['http://10.0.0.5:5678/webhook/x', 'http://10.0.0.5:8000', true],
		['https://n8n.example.com/webhook/x', 'https://pbx.example.com', true],
		['https://n8n.example.com/webhook/x', 'http://192.168.1.9', true],
		['https://n8n.example.com/webhook/x', 'http://localhost:8000', true],
	])('%s from %s: %s', (url, baseUrl, isReachable) => {
		const reason = whyUnreachable(url, baseUrl);
		expect(reason === undefined).toBe(isReachable);
		if (reason) expect(reason.description).toMatch(/N8N_WEBHOOK_URL \(WEBHOOK_URL/);
	});
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
