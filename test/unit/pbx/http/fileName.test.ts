import { labelFile } from '../../../../nodes/VirtualPbx/parameters/storeFile';

describe('the name of a recording', () => {
	it.each(['hash#tag.wav', 'what?.wav', '50%.wav', 'a%20b.wav', 'my call.wav', 'c1@host.wav'])(
		'is that of REC_FILE, whatever it holds: %s',
		(file) => {
			expect(labelFile({}, file, '').fileName).toBe(file);
		},
	);

	it.each([
		['2026/11/a.mp3', '', 'a.mp3'],
		['', 'https://r.example/x/b%20c.wav?sig=1', 'b c.wav'],
		['', 'https://r.example/x/hash%23tag.wav#end', 'hash#tag.wav'],
		['', 'https://r.example/', 'recording'],
	])('from %j and %j is %j', (file, address, name) => {
		expect(labelFile({}, file, address).fileName).toBe(name);
	});

	it('has the type that the PBX states', () => {
		const label = labelFile({ 'content-type': 'Audio/X-Wav; rate=8000' }, 'c1@10.0.0.1', '');
		expect(label).toEqual({ fileName: 'c1@10.0.0.1', mimeType: 'audio/x-wav' });
	});

	it.each(['application/octet-stream', 'text/html', 'constructor', '__proto__', 'mp3', ''])(
		'takes no type from a server that states none of sound: "%s"',
		(type) => {
			const label = labelFile({ 'content-type': type }, 'call', '');
			expect(label).toEqual({ fileName: 'call', mimeType: undefined });
		},
	);
});
