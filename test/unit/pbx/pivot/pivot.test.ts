import { webserverOf } from '../../../../nodes/VirtualPbx/pbx/callflows/flow';

describe('webserverOf (§2.2: host and path)', () => {
	it.each([
		['https://n8n.example.com/webhook/route', 'n8n.example.com/webhook/route'],
		['http://n8n.example.com:5678/webhook/route/', 'n8n.example.com:5678/webhook/route/'],
		[' HTTPS://N8N.example.com ', 'n8n.example.com'],
		['n8n.example.com/a', 'n8n.example.com/a'],
		['127.0.0.1:5678/webhook/pbx-routing', '127.0.0.1:5678/webhook/pbx-routing'],
		['https://[::1]:8080/a', '[::1]:8080/a'],
		['http://a.example:443/b', 'a.example:443/b'],
		['https://a.example:80/b', 'a.example:80/b'],
		['https://телефон.example/b', 'xn--e1aarjeur.example/b'],
		['https://a.example/caf%C3%A9', 'a.example/caf%C3%A9'],
	])('makes %s to %s', (address, webserver) => {
		const scheme = /^ *http:/i.test(address) ? 'http' : 'https';
		expect(webserverOf(address)).toEqual({ webserver, scheme });
	});

	it.each([
		['', 'is empty'],
		['https://', 'is empty'],
		['ftp://a.example/b', 'must begin with https:// or http://, not ftp://'],
		['https://a.example/b?c=d', 'must not contain "?"'],
		['https://a.example/b#c', 'must not contain "#"'],
		['https://a.example/b&c=d', 'must not contain "&"'],
		['https://me:secret@a.example/b', 'must not contain a user name or password'],
		['https://a example/b', "isn't a web address"],
		['{dflow}', "isn't a web address"],
		['https://:80/', "isn't a web address"],
		['https://a﹠b.example/c', "isn't a web address"],
		['https://a︷b.example/c', "isn't a web address"],
	])('refuses %j', (address, fault) => {
		expect(webserverOf(address)).toEqual({ fault: expect.stringContaining(fault) });
	});
});
