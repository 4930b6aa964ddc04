import type { Seed } from './seed';

const phones = [{ name: 'Desk phone' }];
const phoneAndSoftphone = [...phones, { name: 'Softphone' }];
const extensions = { name: 'Extensions', patterns: ['^\\d{3}$'], flow: { module: 'user' } };
const voicemailOf = (extension: string) => ({
	module: 'voicemail',
	data: { id: `@user:${extension}` },
});

/** Two accounts: a small company with every kind of callflow, and a second company. */
export const defaultSeed: Seed = {
	accounts: [
		{
			name: 'Demo company',
			realm: 'demo.sandbox.local',
			login: 'demo',
			password: 'demo-password',
			users: [
				{ extension: '100', name: 'Grace Miller', email: 'grace@example.com', devices: phones },
				{
					extension: '101',
					name: 'Emma Clark',
					email: 'emma@example.com',
					devices: phoneAndSoftphone,
					timeout: 15,
				},
				{
					extension: '102',
					name: 'David Reed',
					email: 'david@example.com',
					devices: phoneAndSoftphone,
					timeout: 10,
					delay: 2,
					strategy: 'single',
					mailbox: false,
				},
			],
			sounds: [
				{ filename: 'welcome.wav', seconds: 4 },
				{ filename: 'after-hours.wav', seconds: 6 },
				{ filename: 'please-hold.wav', seconds: 3 },
				{ filename: 'holiday.wav', seconds: 5 },
			],
			callflows: [
				{
					name: 'Main number',
					numbers: ['12125550100'],
					flow: {
						module: 'user',
						data: { id: '@user:100' },
						children: { _: voicemailOf('100') },
					},
				},
				{
					name: 'Web routing',
					numbers: ['12125550102'],
					flow: {
						module: 'pivot',
						data: {
							method: 'GET',
							req_timeout: '5',
							req_format: '@format',
							voice_url: '{dflow}&callflow_id=@self&webserver=127.0.0.1:5678/webhook/pbx-routing',
						},
						children: { _: { module: 'user', data: { id: '@user:101' } } },
					},
				},
				{
					name: 'After hours',
					numbers: ['12125550103'],
					flow: {
						module: 'play',
						data: { filename: 'after-hours.wav' },
						children: { _: voicemailOf('100') },
					},
				},
				{
					name: 'Sales group',
					numbers: ['12125550104'],
					flow: {
						module: 'user',
						data: { id: '@user:101' },
						children: {
							_: {
								module: 'user',
								data: { id: '@user:102' },
								children: { _: voicemailOf('101') },
							},
						},
					},
				},
				{
					name: 'Sales hotline',
					numbers: ['12125550105'],
					flow: { module: 'callflow', data: { id: '@callflow:Sales group' } },
				},
				extensions,
				{
					name: 'Announcement',
					patterns: ['^\\*98$'],
					featurecode: true,
					flow: { module: 'play', data: { filename: 'welcome.wav' } },
				},
			],
		},
		{
			name: 'Second company',
			realm: 'second.sandbox.local',
			login: 'second',
			password: 'second-password',
			users: [
				{ extension: '100', name: 'Henry Walsh', email: 'henry@example.com', devices: phones },
				{ extension: '200', name: 'Laura Bennett', email: 'laura@example.com', devices: phones },
			],
			sounds: [{ filename: 'welcome.wav', seconds: 4 }],
			callflows: [
				{
					name: 'Main number',
					numbers: ['13125550100'],
					flow: { module: 'user', data: { id: '@user:200' } },
				},
				extensions,
			],
		},
	],
};
