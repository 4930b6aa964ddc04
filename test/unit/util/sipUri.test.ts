import fc from 'fast-check';

import { readParty } from '../../../nodes/VirtualPbx/util/party';

describe('a party in whichever form a PBX writes it (§2.4)', () => {
	const number = fc.stringMatching(/^[+]?[0-9]{2,15}$/);
	const names = fc.constantFrom(
		...['IVANOVA MA', 'Ann', 'Room 12', 'Иванова М. А.', 'Ivanova (sales)', "O'Neil, J", '田中'],
	);

	it('is its number and its name', () => {
		const shapes = fc.constantFrom(
			(n: string, name: string) => `${n} (${name})`,
			(n: string, name: string) => `  ${n}  ( ${name} ) `,
			(n: string, name: string) => `sip:${n}@h.example (${name})`,
			(n: string, name: string) => `${n}@h.example (${name})`,
			(n: string, name: string) => `"${name}" <sip:${n}@h.example>`,
			(n: string, name: string) => `"${name}"<sips:${n}:pw@h.example:5061;user=phone?a=b>;tag=x`,
			(n: string, name: string) => `${name} <sip:${n}@h.example;user=phone>;tag=x;y="<z>"`,
			(n: string, name: string) => `${name} <tel:${n}>`,
			(n: string, name: string) => `${name} <${n}>`,
			(n: string, name: string) => `"${name}" <${n}@h.example>`,
		);
		fc.assert(
			fc.property(number, names, shapes, (n, name, shape) => {
				expect(readParty(shape(n, name))).toEqual({ number: n, name });
			}),
		);
	});

	it.each([
		['"A \\"B\\" C" <sip:171@h>', '171', 'A "B" C'],
		['"A "B" C" <sip:171@h>', '171', 'A "B" C'],
		['"a <b> c" <sip:100@h>', '100', 'a <b> c'],
		['171 (172)', '171', '172'],
		['+12125550123 (+12125550123)', '+12125550123', '+12125550123'],
		['+1 (212) 555-0123 (Stein)', '+1 (212) 555-0123', 'Stein'],
		['*97 (Mailbox)', '*97', 'Mailbox'],
		['"Anonymous" <sip:anonymous@anonymous.invalid>', 'anonymous', 'Anonymous'],
	])('of %s is %s and %s', (value, n, name) => {
		expect(readParty(value)).toEqual({ number: n, name });
	});

	it.each([
		['171 ()', '171'],
		['"" <sip:171@h>', '171'],
		['<tel:+12125550123>', '+12125550123'],
		['< +1 212 5550123 >', '+1 212 5550123'],
		['sip:100;user=phone', '100'],
		['SIPS:100@h', '100'],
		['100@10.0.0.5', '100'],
		['  sip:100@[2001:db8::1]  ', '100'],
		['<sip:100@pbx.example.com:5061>;tag=77', '100'],
		['sip:100:secret@h', '100'],
		['sip:100;phone-context=+7@h;user=phone', '100'],
		['sip:100@h?subject=a@b', '100'],
		['tel:100;phone-context=example.com', '100'],
		['sip:%2B12125550123@h', '+12125550123'],
		['sip:100%23@h', '100#'],
		['sip:bad%ZZ@h', 'bad%ZZ'],
		// What would be markup elsewhere stays encoded.
		['sip:%3Cimg%20src%3Dx%3E@h', '%3Cimg src=x%3E'],
		['sip:%22a%7Cb%26%60@h', '%22a%7Cb%26%60'],
		['sip:o%27neil@h', "o'neil"],
		['sip:h.example', 'h.example'],
		['sip:@h', ''],
		['sip:[2001:db8::1]:5060', '[2001:db8::1]:5060'],
	])('without a name: %s is %s', (value, n) => {
		expect(readParty(value)).toEqual({ number: n });
	});

	it.each([
		...['anonymous', 'A (B) C', '(212) 555-0123', '+1 (212) 555-0123', '8 (800)', '171(IVANOVA)'],
		...['171 (A) (B)', '171 (A (B)', '171 (A) B)', '171 (A', 'A <b> c', '"Ann" <>', 'sip:', '('],
		...['call me@home', '"Ann" sip:171@h', 'sip:171@h, sip:172@h', 'Ann <a b>'],
	])('is the whole text where nobody knows the form: %s', (value) => {
		expect(readParty(value)).toEqual({ number: value });
	});

	it.each([
		['sip:100%0A%0D%00@h', '100', undefined],
		['sip:%E2%80%AE100%E2%80%8B@h', '100', undefined],
		['100\u0000\u0007\u009f', '100', undefined],
		['\u202a+12125550123\u202c', '+12125550123', undefined],
		['"Ann\u2028 \u202eB\u200b\r\n\tC" <sip:10%7F0@h>', '100', 'Ann B C'],
		['171 (\u2066IVANOVA\u2069\u0000)', '171', 'IVANOVA'],
		['171 (\u200b\u0000)', '171', undefined],
		['10\ud8000', '100', undefined],
	])('has no invisible character: %j is %j and %j', (value, n, name) => {
		expect(readParty(value)).toEqual({ number: n, name });
	});
});
