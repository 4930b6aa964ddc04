import { dispositionName, labelFile } from '../../../nodes/VirtualPbx/transport/storeFile';

describe('the name of a recording', () => {
	it.each([
		['attachment; filename=a.mp3', 'a.mp3'],
		['attachment; filename="a \\"b\\".mp3"', 'a "b".mp3'],
		["attachment; filename=x.mp3; filename*=UTF-8''%E2%82%AC.mp3", '€.mp3'],
		['attachment; filename="hash#tag?.wav"', 'hash#tag?.wav'],
		['attachment; filename="C:\\\\dir\\\\a.mp3"', 'a.mp3'],
		['inline', ''],
		['', ''],
	])('in %j is %j', (header, name) => {
		expect(dispositionName(header)).toBe(name);
	});

	it.each(['hash#tag.wav', 'what?.wav', '50%.wav', 'a%20b.wav', 'my call.wav', 'c1@host.wav'])(
		'is that of REC_FILE, whatever it holds: %s',
		(file) => {
			expect(labelFile({}, file, '').fileName).toBe(file);
		},
	);

	it.each([
		['2026/11/a.mp3', '', 'a.mp3'],
		['x/a.wav?sig=1', '', 'a.wav'],
		['', 'https://r.example/x/b%20c.wav?sig=1', 'b c.wav'],
		['', 'https://r.example/x/hash%23tag.wav#end', 'hash#tag.wav'],
		['', 'https://r.example/', 'recording'],
	])('from %j and %j is %j', (file, address, name) => {
		expect(labelFile({}, file, address).fileName).toBe(name);
	});

	it.each([
		['audio/mpeg; charset=x', '2026/11/a', 'a.mp3', 'audio/mpeg'],
		['audio/x-wav', 'call', 'call.wav', 'audio/x-wav'],
		['Audio/Wave', 'c1@10.0.0.1', 'c1@10.0.0.1.wav', 'audio/wave'],
		['audio/ogg', '2026.11.20', '2026.11.20.ogg', 'audio/ogg'],
		['audio/ogg', 'call.mp3', 'call.mp3', 'audio/ogg'],
	])('gets the ending of its type "%s": %s', (type, file, fileName, mimeType) => {
		expect(labelFile({ 'content-type': type }, file, '')).toEqual({ fileName, mimeType });
	});

	it.each(['application/octet-stream', 'text/html', 'constructor', '__proto__', 'mp3', ''])(
		'takes no type from a server that states none of sound: "%s"',
		(type) => {
			const label = labelFile({ 'content-type': type }, 'call', '');
			expect(label).toEqual({ fileName: 'call', mimeType: undefined });
		},
	);
});
