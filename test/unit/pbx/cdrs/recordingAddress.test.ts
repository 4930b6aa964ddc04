import { Cdr } from '../../../../nodes/VirtualPbx/pbx/cdrs/cdr';

describe('the address of a recording (§2.4)', () => {
	it.each([
		['https://r.example/2026/', 'a.mp3', 'https://r.example/2026/a.mp3'],
		['https://r.example/2026', 'a.mp3', 'https://r.example/2026a.mp3'],
		['https://r.example/get?file=', 'a.mp3', 'https://r.example/get?file=a.mp3'],
		['https://r.example/', 'call #1.mp3', 'https://r.example/call %231.mp3'],
		['https://r.example/', 'hash#tag.wav', 'https://r.example/hash%23tag.wav'],
		['https://r.example/', '50%.wav', 'https://r.example/50%25.wav'],
		['https://r.example/', 'a%20b.wav', 'https://r.example/a%20b.wav'],
		['https://r.example/', 'what?.wav', 'https://r.example/what%3F.wav'],
		['https://r.example/', '1@10.0.0.1.wav', 'https://r.example/1@10.0.0.1.wav'],
		[' https://r.example/ ', ' a.mp3 ', 'https://r.example/a.mp3'],
		['', 'a.mp3', 'a.mp3'],
		['', '', undefined],
	])('of %j and %j is %j', (link, file, address) => {
		const [recording] = new Cdr({ REC_LINK: link, REC_FILE: file }).recordings;
		expect(recording?.address).toBe(address);
	});
});
