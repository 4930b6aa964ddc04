import fc from 'fast-check';

import { numberOf } from '../../../nodes/VirtualPbx/values/sipUri';

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

	it('never throws', () => {
		fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void numberOf(text)));
	});
});
