import type { Seed } from '../../../sandbox/model/seed';

/** A company in the sandbox, as far as calls need it. */
export interface Company {
	name: string;
	/** Whose phones ring, in this order. */
	extensions: readonly string[];
	/** Its numbers: the first rings one employee, the second all, the third one after the other; the last is a message. */
	lines: readonly string[];
}

/** Companies whose extensions differ in length. The default of the credential covers all of them. */
export const COMPANIES: Company[] = [
	{
		name: 'three digits',
		extensions: ['101', '102', '103', '104'],
		lines: ['12125550190', '12125550191', '12125550192', '12125550193'],
	},
	{
		name: 'four digits',
		extensions: ['2001', '2002', '2003'],
		lines: ['74950000100', '74950000101', '74950000102', '74950000103'],
	},
	{
		name: 'six digits',
		extensions: ['100001', '100002', '100003'],
		lines: ['493012345600', '493012345601', '493012345602', '493012345603'],
	},
];

/** Returns the sandbox's seed for a company. */
export function seedOf({ name, extensions, lines }: Company): Seed {
	const [one = '', two = ''] = extensions;
	const user = (extension: string, children: object = {}) => ({
		module: 'user',
		data: { id: `@user:${extension}` },
		children,
	});
	const mailbox = { _: { module: 'voicemail', data: { id: `@user:${one}` } } };
	const closed = { module: 'play', data: { filename: 'closed.wav' }, children: mailbox };
	const phones = (extension: string) =>
		extension === two ? ['Desk phone', 'Softphone'] : ['Desk phone'];
	return {
		accounts: [
			{
				...{ name, realm: 'demo.sandbox.local', login: 'demo', password: 'demo-password' },
				users: extensions.map((extension) => ({
					...{ extension, name: `Employee ${extension}` },
					devices: phones(extension).map((device) => ({ name: device })),
				})),
				sounds: [{ filename: 'closed.wav', seconds: 4 }],
				callflows: [
					{ name: 'Main', numbers: [lines[0]], flow: user(one, mailbox) },
					{ name: 'All', numbers: [lines[1]], flow: user(one, { _: user(two, mailbox) }) },
					{ name: 'Two phones', numbers: [lines[2]], flow: user(two, mailbox) },
					{ name: 'Closed', numbers: [lines[3]], flow: closed },
					{ name: 'Extensions', patterns: [`^\\d{${one.length}}$`], flow: { module: 'user' } },
				],
			},
		],
	};
}
