import { deliveryAddress, otherSide } from '../../../nodes/VirtualPbx/triggers/runtime/address';

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
