import fc from 'fast-check';

import { numberOf, readParty } from '../../../nodes/VirtualPbx/values/numbers';

const user = fc.stringMatching(/^[+]?[0-9a-zA-Z_.!~*'()-]{1,15}$/);
const host = fc.constantFrom(
	'demo.sandbox.local',
	'10.0.0.5',
	'[2001:db8::1]',
	'pbx.example.com:5061',
);

describe('the number in a SIP URI (§2.4)', () => {
	it('is the user part, whatever stands around it', () => {
		const shapes = fc.constantFrom(
			(u: string, h: string) => `sip:${u}@${h}`,
			(u: string, h: string) => `SIPS:${u}@${h}`,
			(u: string, h: string) => `${u}@${h}`,
			(u: string, h: string) => `<sip:${u}@${h}>;tag=77`,
			(u: string, h: string) => `"Ann, B" <sip:${u}@${h};transport=udp>`,
			(u: string, h: string) => `sip:${u}:secret@${h}`,
			(u: string, h: string) => `sip:${u};phone-context=+7@${h};user=phone`,
			(u: string, h: string) => `sip:${u}@${h}?subject=a@b`,
			(u: string, h: string) => `  sip:${u}@${h}  `,
			(u: string) => `tel:${u}`,
			(u: string) => `tel:${u};phone-context=example.com`,
			(u: string) => `<tel:${u}>`,
		);
		fc.assert(
			fc.property(user, host, shapes, (u, h, shape) => {
				expect(numberOf(shape(u, h))).toBe(u);
			}),
		);
	});

	it('is the value itself where it is no URI', () => {
		fc.assert(fc.property(user, (u) => expect(numberOf(u)).toBe(u)));
		expect(numberOf('anonymous')).toBe('anonymous');
		expect(numberOf('')).toBe('');
		expect(numberOf('+7 (495) 123-45-67')).toBe('+7 (495) 123-45-67');
	});

	it.each([
		['sip:%2B74951234567@h', '+74951234567'],
		['sip:100%23@h', '100#'],
		['sip:bad%ZZ@h', 'bad%ZZ'],
		['sip:h.example', 'h.example'],
		['sip:@h', ''],
		['"a <b> c" <sip:100@h>', '100'],
		['"x@y" <sip:100@h>', '100'],
	])('of %s is %s', (value, number) => {
		expect(numberOf(value)).toBe(number);
	});
});

describe('a party in whichever form a PBX writes it', () => {
	const number = fc.stringMatching(/^[+]?[0-9]{2,15}$/);
	const names = fc.constantFrom(
		'IVANOVA MA',
		'Ann',
		'Room 12',
		'Иванова М. А.',
		'Ivanova (sales)',
		"O'Neil, J",
		'田中',
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
		['+74951234567 (+74951234567)', '+74951234567', '+74951234567'],
		['+7 (495) 123-45-67 (Stein)', '+7 (495) 123-45-67', 'Stein'],
		['*97 (Mailbox)', '*97', 'Mailbox'],
		['"Anonymous" <sip:anonymous@anonymous.invalid>', 'anonymous', 'Anonymous'],
	])('of %s is %s and %s', (value, n, name) => {
		expect(readParty(value)).toEqual({ number: n, name });
	});

	it.each([
		['171 ()', '171'],
		['"" <sip:171@h>', '171'],
		['<tel:+74951234567>', '+74951234567'],
		['< +7 495 1234567 >', '+7 495 1234567'],
		['sip:100;user=phone', '100'],
		['sip:[2001:db8::1]:5060', '[2001:db8::1]:5060'],
	])('without a name: %s is %s', (value, n) => {
		expect(readParty(value)).toEqual({ number: n });
	});

	it.each([
		...['anonymous', 'A (B) C', '(495) 123-45-67', '+7 (495) 123-45-67', '8 (800)', '171(IVANOVA)'],
		...['171 (A) (B)', '171 (A (B)', '171 (A) B)', '171 (A', 'A <b> c', '"Ann" <>', 'sip:', '('],
		...['call me@home', '"Ann" sip:171@h', 'sip:171@h, sip:172@h', 'Ann <a b>'],
	])('is the whole text where nobody knows the form: %s', (value) => {
		expect(readParty(value)).toEqual({ number: value });
	});
});
