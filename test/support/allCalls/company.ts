import type { IDataObject } from 'n8n-workflow';

import { Exchange } from '../../../sandbox/calls/exchange';
import { completeOrder } from '../../../sandbox/calls/params';
import type { Truth } from '../../../sandbox/calls/truth';
import { shapeEvent } from '../../../sandbox/delivery/body';
import { marksOf } from '../../../sandbox/delivery/dispatcher';
import { eventArgs } from '../../../sandbox/events/payload';
import { Pbx } from '../../../sandbox/model/pbx';
import type { Seed } from '../../../sandbox/model/seed';
import type { Settings } from '../../../sandbox/model/settings';
import type { Cdr, Webhook } from '../../../sandbox/model/types';
import { listedRecord } from '../../../sandbox/pbx/kazoo-cdrs';
import type { Company, DrawnCall } from './draw';

const voicemail = (extension: string) => ({
	_: { module: 'voicemail', data: { id: `@user:${extension}` } },
});

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

/** Its extensions are as long as numbers can be: the credential must say so. */
export const SEVEN_DIGITS: Company = {
	name: 'seven digits',
	extensions: ['5550001', '5550002', '5550003'],
	lines: ['12125550180', '12125550181', '12125550182', '12125550183'],
	extensionDigits: '7',
};

/** Returns the sandbox's seed for a company. */
export function seedOf({ name, extensions, lines }: Company): Seed {
	const realm = 'demo.sandbox.local';
	const [one = '', two = ''] = extensions;
	const user = (extension: string, children: object = {}) => ({
		module: 'user',
		data: { id: `@user:${extension}` },
		children,
	});
	const phones = (extension: string) =>
		extension === two ? ['Desk phone', 'Softphone'] : ['Desk phone'];
	return {
		accounts: [
			{
				...{ name, realm, login: 'demo', password: 'demo-password' },
				users: extensions.map((extension) => ({
					extension,
					name: `Employee ${extension}`,
					devices: phones(extension).map((device) => ({ name: device })),
				})),
				sounds: [{ filename: 'closed.wav', seconds: 4 }],
				callflows: [
					{ name: 'Main', numbers: [lines[0]], flow: user(one, voicemail(one)) },
					{ name: 'All', numbers: [lines[1]], flow: user(one, { _: user(two, voicemail(one)) }) },
					{ name: 'Two phones', numbers: [lines[2]], flow: user(two, voicemail(two)) },
					{
						name: 'Closed',
						numbers: [lines[3]],
						flow: { module: 'play', data: { filename: 'closed.wav' }, children: voicemail(one) },
					},
					{ name: 'Extensions', patterns: [`^\\d{${one.length}}$`], flow: { module: 'user' } },
				],
			},
		],
	};
}

/** A call of the sandbox: what happened, and what the PBX reports of it. */
export interface SimulatedCall extends DrawnCall {
	truth: Truth;
	/** As the list of call records has them. */
	records: IDataObject[];
	/** The bodies of its deliveries, in order. */
	events: IDataObject[];
}

const WEBHOOK: Webhook = {
	id: 'w',
	name: '',
	uri: '',
	http_verb: 'post',
	hook: 'all',
	retries: 1,
	enabled: true,
};

/** Returns a function that runs a call in a sandbox without a server. */
export function simulatorOf(company: Company, settings: Partial<Settings>) {
	const pbx = new Pbx(seedOf(company), settings);
	const account = pbx.firstAccount;
	let events: IDataObject[] = [];
	const exchange = new Exchange(pbx, {
		emit(call, leg, event) {
			const args = eventArgs({
				call,
				leg,
				event,
				msgId: `${leg.callId} ${event}`,
				settings: pbx.settings,
			});
			const shaped = shapeEvent({ name: event, args, marks: marksOf(leg) }, WEBHOOK, pbx.settings);
			events.push(shaped as IDataObject);
		},
		stop: () => {},
		push: async () => await Promise.resolve(''),
	});
	const listed = (cdr: Cdr) =>
		(pbx.settings.profile === 'kazoo' ? listedRecord(cdr, account) : cdr) as IDataObject;
	return async (drawn: DrawnCall, at: number): Promise<SimulatedCall> => {
		events = [];
		account.cdrs.clear();
		const call = exchange.place(completeOrder({ ...drawn.order, at, account_id: account.id }));
		if (!call) throw new Error('The sandbox has no account');
		await exchange.settled(call, 'ended');
		const records = account.cdrs.range(0, Infinity).map(listed);
		return { ...drawn, truth: call.view().truth, records, events };
	};
}
