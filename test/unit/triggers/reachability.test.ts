import { whyUnreachable, reachOf } from '../../../nodes/VirtualPbx/triggers/runtime/address';

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
