import type { Seed } from './seed';

const phones = [{ name: 'Desk phone' }];
const phoneAndSoftphone = [...phones, { name: 'Softphone' }];

const node = (module: string, data: object, next?: object) => ({
	...{ module, data },
	...(next && { children: { _: next } }),
});
const user = (extension: string, next?: object) => node('user', { id: `@user:${extension}` }, next);
const voicemail = (extension: string) => node('voicemail', { id: `@user:${extension}` });
const sound = (filename: string, seconds: number) => ({ filename, seconds });

const extensions = { name: 'Extensions', patterns: ['^\\d{3}$'], flow: { module: 'user' } };

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
					...{ extension: '101', name: 'Emma Clark', email: 'emma@example.com', timeout: 15 },
					devices: phoneAndSoftphone,
				},
				{
					...{ extension: '102', name: 'David Reed', email: 'david@example.com' },
					...{ timeout: 10, delay: 2, strategy: 'single', mailbox: false },
					devices: phoneAndSoftphone,
				},
			],
			sounds: [
				...[sound('welcome.wav', 4), sound('after-hours.wav', 6)],
				...[sound('please-hold.wav', 3), sound('holiday.wav', 5)],
			],
			callflows: [
				{ name: 'Main number', numbers: ['12125550100'], flow: user('100', voicemail('100')) },
				{
					name: 'Web routing',
					numbers: ['12125550102'],
					flow: node(
						'pivot',
						{
							method: 'GET',
							req_timeout: '5',
							req_format: '@format',
							voice_url: '{dflow}&callflow_id=@self&webserver=127.0.0.1:5678/webhook/pbx-routing',
						},
						user('101'),
					),
				},
				{
					name: 'After hours',
					numbers: ['12125550103'],
					flow: node('play', { filename: 'after-hours.wav' }, voicemail('100')),
				},
				{
					name: 'Sales group',
					numbers: ['12125550104'],
					flow: user('101', user('102', voicemail('101'))),
				},
				{
					name: 'Sales hotline',
					numbers: ['12125550105'],
					flow: node('callflow', { id: '@callflow:Sales group' }),
				},
				extensions,
				{
					...{ name: 'Announcement', patterns: ['^\\*98$'], featurecode: true },
					flow: node('play', { filename: 'welcome.wav' }),
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
			sounds: [sound('welcome.wav', 4)],
			callflows: [{ name: 'Main number', numbers: ['13125550100'], flow: user('200') }, extensions],
		},
	],
};
