import { dispositionName, labelFile } from '../../../nodes/VirtualPbx/transport/storeFile';
import { recordingAddresses } from '../../../nodes/VirtualPbx/records/cdr';

describe('the address of a recording (§2.4)', () => {
	it.each([
		['https://r.example/2026/', 'a.mp3', ['https://r.example/2026/a.mp3']],
		[
			'https://r.example/2026',
			'a.mp3',
			['https://r.example/2026a.mp3', 'https://r.example/2026/a.mp3'],
		],
		[
			'https://r.example/2026/',
			'/a.mp3',
			['https://r.example/2026//a.mp3', 'https://r.example/2026/a.mp3'],
		],
		['https://r.example', 'a.mp3', ['https://r.example/a.mp3']],
		['https://r.example/get?file=', 'a.mp3', ['https://r.example/get?file=a.mp3']],
		['https://r.example/', 'call #1.mp3', ['https://r.example/call %231.mp3']],
		['https://r.example/', 'hash#tag.wav', ['https://r.example/hash%23tag.wav']],
		['https://r.example/', '50%.wav', ['https://r.example/50%25.wav']],
		[
			'https://r.example/',
			'a%20b.wav',
			['https://r.example/a%20b.wav', 'https://r.example/a%2520b.wav'],
		],
		[
			'https://r.example/',
			'what?.wav',
			['https://r.example/what%3F.wav', 'https://r.example/what?.wav'],
		],
		[
			'https://r.example/',
			'a.wav?sig=1',
			['https://r.example/a.wav?sig=1', 'https://r.example/a.wav%3Fsig=1'],
		],
		['https://r.example/', '1@10.0.0.1.wav', ['https://r.example/1@10.0.0.1.wav']],
		['https://r.example/', 'https://s.example/a.mp3', ['https://s.example/a.mp3']],
		[' https://r.example/ ', ' a.mp3 ', ['https://r.example/a.mp3']],
		['', 'a.mp3', ['a.mp3']],
		['', '', []],
	])('of %j and %j is %j', (link, file, addresses) => {
		expect(recordingAddresses(link, file)).toEqual(addresses);
	});
});

describe('the name of a downloaded file', () => {
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

	it.each([
		[
			{ 'content-type': 'audio/mpeg' },
			'2026/11/a',
			'',
			{ fileName: 'a.mp3', mimeType: 'audio/mpeg', extension: 'mp3' },
		],
		[
			{},
			'',
			'https://r.example/x/b%20c.wav?sig=1',
			{ fileName: 'b c.wav', mimeType: 'audio/wav', extension: 'wav' },
		],
		[{ 'content-type': 'application/octet-stream' }, 'a', '', { fileName: 'a' }],
		[{}, '', 'https://r.example/', { fileName: 'recording' }],
		[{}, 'x/a.wav?sig=1', '', { fileName: 'a.wav', mimeType: 'audio/wav', extension: 'wav' }],
		[
			{},
			'',
			'https://r.example/x/hash%23tag.wav#end',
			{ fileName: 'hash#tag.wav', mimeType: 'audio/wav', extension: 'wav' },
		],
		[
			{ 'content-type': 'audio/ogg' },
			'2026.11.20',
			'',
			{ fileName: '2026.11.20.ogg', mimeType: 'audio/ogg', extension: 'ogg' },
		],
	])('from %j, %j, %j is %j', (headers, file, address, label) => {
		expect(labelFile(headers, file, address)).toEqual(label);
	});

	it.each(['hash#tag.wav', 'what?.wav', '50%.wav', 'a%20b.wav', 'my call.wav', 'c1@host.wav'])(
		'is that of REC_FILE, whatever it holds: %s',
		(file) => {
			expect(labelFile({}, file, '')).toMatchObject({ fileName: file, mimeType: 'audio/wav' });
		},
	);
});
