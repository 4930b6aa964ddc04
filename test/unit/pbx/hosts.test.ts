import { readCredential, mayReceiveToken } from '../../../nodes/VirtualPbx/pbx/credential';

const credential = (recordingHosts = '', baseUrl = 'https://pbx.example.com') =>
	readCredential({ baseUrl, login: 'a', password: 'b', realm: 'c', recordingHosts });

describe('mayReceiveToken', () => {
	it.each([
		'https://pbx.example.com/v1/x',
		'https://PBX.example.com/v1/x',
		'https://pbx.example.com:443/x',
		'https://user:pw@pbx.example.com/x',
	])('allows the Base URL’s own origin: %s', (address) => {
		expect(mayReceiveToken(address, credential())).toBe(true);
	});

	it.each([
		'http://pbx.example.com/v1/x',
		'https://pbx.example.com:8443/x',
		'https://pbx.example.com@evil.example/x',
		'https://evil.example\\@pbx.example.com',
		'https://рbx.example.com/',
		'//pbx.example.com/x',
		'file:///etc/passwd',
	])('refuses %s', (address) => {
		expect(mayReceiveToken(address, credential())).toBe(false);
	});

	it('allows listed hosts by their scheme and port only', () => {
		const listed = credential('records.example.com, https://s3.example.com:9000 [::1]:8080');
		expect(mayReceiveToken('https://records.example.com/a.wav', listed)).toBe(true);
		expect(mayReceiveToken('https://s3.example.com:9000/a.wav', listed)).toBe(true);
		expect(mayReceiveToken('https://[0:0:0:0:0:0:0:1]:8080/a.wav', listed)).toBe(true);
		expect(mayReceiveToken('http://records.example.com/a.wav', listed)).toBe(false);
		expect(mayReceiveToken('https://records.example.com:444/a.wav', listed)).toBe(false);
		expect(mayReceiveToken('https://a.records.example.com/a.wav', listed)).toBe(false);
	});

	it('takes a listed host with the Base URL’s scheme, too', () => {
		const local = credential('127.0.0.1:9001', 'http://127.0.0.1:8090');
		expect(mayReceiveToken('http://127.0.0.1:9001/a.wav', local)).toBe(true);
	});
});
