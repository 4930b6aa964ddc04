import type { IDataObject } from 'n8n-workflow';

import { summarizeCall } from '../../../nodes/VirtualPbx/records/summary';

const END = 63_962_395_200;

const leg = (
	[direction, from, to]: [string, string, string],
	{ talk = 0, ended = 0, cause }: { talk?: number; ended?: number; cause?: string } = {},
): IDataObject => ({
	BRIDGE_ID: 'b@h',
	CALL_DIRECTION: direction,
	CALLER_ID_NUMBER: from,
	CALLEE_ID_NUMBER: to,
	TIMESTAMP: String(END + ended),
	BILLING_SECONDS: String(talk),
	HANGUP_CAUSE: cause ?? (talk > 0 ? 'NORMAL_CLEARING' : 'NO_ANSWER'),
});
const CUSTOMER = '79161234567';
const LINE = '74950000100';

/** Each list of legs in both orders. */
const told = (legs: IDataObject[]) =>
	[legs, [...legs].reverse()].map((some) => {
		const { outcome, from, to, employee, talkSeconds } = summarizeCall(some);
		return { outcome, from, to, employee, talkSeconds };
	});

describe('who called whom', () => {
	it.each<[string, IDataObject[], IDataObject]>([
		[
			'in a transfer with a consultation, whose leg ended first',
			[
				leg(['inbound', CUSTOMER, LINE], { talk: 190 }),
				leg(['outbound', CUSTOMER, '100'], { talk: 60, ended: -120 }),
				leg(['inbound', '100', '101'], { talk: 20, ended: -120 }),
				leg(['outbound', CUSTOMER, '101'], { talk: 130 }),
			],
			{ outcome: 'answered', from: CUSTOMER, to: LINE, employee: '101', talkSeconds: 190 },
		],
		[
			'in a click-to-call, whose legs ended together',
			[
				leg(['outbound', '171', '171'], { talk: 65 }),
				leg(['outbound', '171', CUSTOMER], { talk: 60 }),
			],
			{ outcome: 'answered', from: '171', to: CUSTOMER, employee: '171', talkSeconds: 60 },
		],
		[
			'in a click-to-call that shows the customer as the caller of the colleague',
			[
				leg(['outbound', CUSTOMER, '171'], { talk: 65 }),
				leg(['outbound', LINE, CUSTOMER], { talk: 60 }),
			],
			{ outcome: 'answered', from: '171', to: CUSTOMER, employee: '171', talkSeconds: 60 },
		],
		[
			'in a click-to-call that only the colleague picked up',
			[
				leg(['outbound', '171', '171'], { talk: 20 }),
				leg(['outbound', '171', CUSTOMER], { cause: 'NO_ANSWER' }),
			],
			{ outcome: 'cancelled', from: '171', to: CUSTOMER, employee: '171', talkSeconds: 0 },
		],
		[
			'in a call from outside that rang a phone and a mobile',
			[
				leg(['outbound', CUSTOMER, '171'], { cause: 'LOSE_RACE' }),
				leg(['outbound', CUSTOMER, '79030000000'], { talk: 60 }),
			],
			{ from: CUSTOMER, outcome: 'answered', talkSeconds: 60 },
		],
		[
			'by a user whose name is no extension',
			[leg(['inbound', 'sip:user_ab@h', CUSTOMER]), leg(['outbound', 'sip:user_ab@h', CUSTOMER])],
			{ outcome: 'cancelled', from: 'user_ab', employee: 'user_ab' },
		],
		[
			'where the leg of the phone alone tells that it was busy',
			[
				leg(['inbound', CUSTOMER, LINE], { cause: 'NORMAL_CLEARING' }),
				leg(['outbound', CUSTOMER, '100'], { cause: 'USER_BUSY' }),
			],
			{ outcome: 'busy' },
		],
		[
			'where one of two phones was busy and the other one rang in vain',
			[
				leg(['inbound', CUSTOMER, LINE], { cause: 'NORMAL_CLEARING' }),
				leg(['outbound', CUSTOMER, '100'], { cause: 'USER_BUSY' }),
				leg(['outbound', CUSTOMER, '101'], { cause: 'NO_ANSWER' }),
			],
			{ outcome: 'missed' },
		],
		[
			'where a mailbox took it, and the leg of the phone tells no talk time',
			[
				leg(['inbound', CUSTOMER, LINE], { talk: 12 }),
				{ ...leg(['outbound', CUSTOMER, '100'], { cause: 'USER_BUSY' }), BILLING_SECONDS: '' },
			],
			{ outcome: 'voicemail' },
		],
	])('%s', (_, legs, expected) => {
		for (const call of told(legs)) expect(call).toMatchObject(expected);
	});
});
