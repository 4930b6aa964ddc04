import { labelFile } from '../../../nodes/VirtualPbx/parameters/output';

/** Labels a file that begins like nothing known. */
const label = (file: string, address = '', headers = {}, start = Buffer.from('sound')) =>
	labelFile({ headers, address, start }, file);

describe('the name of a recording', () => {
	it.each(['hash#tag.wav', 'what?.wav', '50%.wav', 'a%20b.wav', 'my call.wav', 'c1@host.wav'])(
		'is that of REC_FILE, whatever it holds: %s',
		(file) => {
			expect(label(file).fileName).toBe(file);
		},
	);

	it.each([
		['2026/11/a.mp3', '', 'a.mp3'],
		['', 'https://r.example/x/b%20c.wav?sig=1', 'b c.wav'],
		['', 'https://r.example/x/hash%23tag.wav#end', 'hash#tag.wav'],
		['', 'https://r.example/', 'recording'],
	])('from %j and %j is %j', (file, address, name) => {
		expect(label(file, address).fileName).toBe(name);
	});

	it.each([
		['..', 'recording'],
		['../../etc/passwd', 'passwd'],
		['a\\..\\..', 'recording'],
		['.htaccess', 'htaccess'],
		['a\0b.mp3', 'ab.mp3'],
		['a\r\nb.mp3', 'ab.mp3'],
		['call\u202E3pm.exe', 'call3pm.exe'],
		['\u2066a\u2069.mp3', 'a.mp3'],
		['\uFEFFa.mp3', 'a.mp3'],
		['a\uD800.mp3', 'a.mp3'],
		['CON', 'CON_'],
		['nul.mp3', 'nul_.mp3'],
		['com1.tar.gz', 'com1_.tar.gz'],
		['console.mp3', 'console.mp3'],
		['a.mp3. . ', 'a.mp3'],
		['\t \n', 'recording'],
		[`${'я'.repeat(300)}.mp3`, `${'я'.repeat(125)}.mp3`],
		[`${'😀'.repeat(300)}.mp3`, `${'😀'.repeat(62)}.mp3`],
		['x'.repeat(1_000_000), 'x'.repeat(255)],
	])('is one that any system takes, whatever the PBX says: %#', (file, name) => {
		expect(label(file).fileName).toBe(name);
	});

	it('has the type that the PBX states', () => {
		const headers = { 'content-type': 'Audio/X-Wav; rate=8000' };
		expect(label('c1@10.0.0.1', '', headers, Buffer.from('OggS'))).toEqual({
			fileName: 'c1@10.0.0.1',
			mimeType: 'audio/x-wav',
		});
	});

	it.each(['application/octet-stream', 'text/html', 'constructor', '__proto__', 'mp3', ''])(
		'takes no type from a server that states none of sound: "%s"',
		(type) => {
			const { mimeType } = label('call', '', { 'content-type': type });
			expect(mimeType).toBe('application/octet-stream');
		},
	);

	it.each([
		['RIFF\x24\n\0\0WAVEfmt ', 'audio/wav'],
		['ID3\x04\0', 'audio/mpeg'],
		['\xFF\xFB\x90\x64', 'audio/mpeg'],
		['\xFF\xF3\x40\xC4', 'audio/mpeg'],
		['OggS\0\x02', 'audio/ogg'],
		['fLaC\0', 'audio/flac'],
		['\0\0\n\x20ftypM4A ', 'audio/mp4'],
	])('has the type that its first bytes show: %j', (start, type) => {
		const bytes = Buffer.from(start, 'latin1');
		expect(label('c1@10.0.0.1', '', {}, bytes).mimeType).toBe(type);
		expect(label('a.mp3', '', {}, bytes).mimeType).toBe(type);
	});

	it.each(['\xFF\xFEt\0e\0x\0t\0', '\xFF\xD8\xFF', 'RIFF\x24\0\0\0AVI ', 'WAVE'])(
		'has no type of sound if it begins like none: %j',
		(start) => {
			const { mimeType } = label('call', '', {}, Buffer.from(start, 'latin1'));
			expect(mimeType).toBe('application/octet-stream');
		},
	);

	it('leaves the type to n8n if the name has an extension of sound', () => {
		expect(label('a.mp3').mimeType).toBeUndefined();
	});
});
