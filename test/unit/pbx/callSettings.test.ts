import { callSettingsOf, readCredential } from '../../../nodes/VirtualPbx/pbx/credential';

const DATA = {
	baseUrl: 'https://pbx.example.com',
	login: 'a',
	password: 'b',
	realm: 'Company.pbx.example.com',
};

describe('what a credential says about calls', () => {
	it.each([
		[undefined, [1, 6]],
		['', [1, 6]],
		['3', [3, 3]],
		[' 3-4 ', [3, 4]],
		['2 – 5', [2, 5]],
		[4, [4, 4]],
	])('reads the Extension Length %j as %j digits', (extensions, digits) => {
		expect(readCredential({ ...DATA, extensions }).calls.extensionDigits).toEqual(digits);
	});

	it.each(['0', '4-3', '10', '3,4', 'three', '100-199'])(
		'refuses %j as an Extension Length by name, and uses the default for events',
		(extensions) => {
			const data = { ...DATA, extensions };
			expect(() => readCredential(data)).toThrow(
				/^'Extension Length' in the Virtual PBX credential/,
			);
			expect(callSettingsOf(data).extensionDigits).toEqual([1, 6]);
		},
	);

	it('reads Reported Parts of Calls, and the realm without regard to case', () => {
		expect(callSettingsOf(DATA)).toMatchObject({
			realm: 'company.pbx.example.com',
			hasOnlyPhoneLegs: false,
		});
		expect(callSettingsOf({ ...DATA, reportedLegs: 'phones' }).hasOnlyPhoneLegs).toBe(true);
		expect(callSettingsOf({}).realm).toBe('');
	});
});
