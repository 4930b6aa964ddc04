import { labelFile } from '../../../nodes/VirtualPbx/transport/storeFile';

describe('the name of a recording', () => {
	it.each(['constructor', '__proto__', 'toString', 'mp3', ''])(
		'takes no type from a server that states none: "%s"',
		(type) => {
			const label = labelFile({ 'content-type': type }, 'call', 'https://rec.example/call');

			expect(label).toEqual({ fileName: 'call' });
		},
	);

	it('gets the ending of the stated type, and the type of its ending', () => {
		const headers = { 'content-type': 'audio/mpeg; charset=x' };

		expect(labelFile(headers, 'call', '')).toEqual({
			fileName: 'call.mp3',
			extension: 'mp3',
			mimeType: 'audio/mpeg',
		});
		expect(labelFile({ 'content-type': 'x' }, 'call.wav', '')).toEqual({
			fileName: 'call.wav',
			extension: 'wav',
			mimeType: 'audio/wav',
		});
	});
});
