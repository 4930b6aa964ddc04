import type { Seed } from '../../../sandbox';

/** The company's number. All numbers are fictional (555-01xx). */
export const MAIN_NUMBER = '12125550100';

/** Customers by number. */
export const CUSTOMERS = {
	linda: '12125550142',
	james: '13125550118',
	susan: '14155550173',
	robert: '16175550126',
};

const phones = [{ name: 'Desk phone' }];
const mailbox = { module: 'voicemail', data: { id: '@user:100' } };

/** The company whose calls the pictures show. */
export const COMPANY: Seed = {
	accounts: [
		{
			...{ name: 'Northwind', realm: 'demo.sandbox.local' },
			...{ login: 'demo', password: 'demo-password' },
			users: [
				{ extension: '100', name: 'Grace Miller', email: 'grace@example.com', devices: phones },
				{ extension: '101', name: 'Emma Clark', email: 'emma@example.com', devices: phones },
				{ extension: '102', name: 'David Reed', email: 'david@example.com', devices: phones },
			],
			sounds: [{ filename: 'welcome.wav', seconds: 4 }],
			callflows: [
				{
					name: 'Main number',
					numbers: [MAIN_NUMBER],
					flow: { module: 'user', data: { id: '@user:101' }, children: { _: mailbox } },
				},
				{ name: 'Extensions', patterns: ['^\\d{3}$'], flow: { module: 'user' } },
			],
		},
	],
	contacts: [
		{ number: CUSTOMERS.linda, name: 'Linda Carter', manager_extension: '101' },
		{ number: CUSTOMERS.james, name: 'James Foster', manager_extension: '102' },
	],
};

/** A time zone in which it is between 3 and 4 p.m., so that pictures show a working day. */
export const DAYTIME = zoneAt(15);

function zoneAt(hour: number): string {
	const ahead = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
	// In these names, zones ahead of UTC have a minus.
	return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}
