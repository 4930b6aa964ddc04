import type { IDataObject } from 'n8n-workflow';

import { partsOf } from '../../../nodes/VirtualPbx/calls/leg';
import { EVIDENCE } from '../../../nodes/VirtualPbx/calls/parties';
import { simplifyCall } from '../../../nodes/VirtualPbx/calls/record';
import { legOfCdr, groupByCall } from '../../../nodes/VirtualPbx/calls/recordedCalls';
import { Cdr } from '../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import { callSettingsOf } from '../../../nodes/VirtualPbx/pbx/credential';

const LINE = '12125550100';
const CUSTOMER = '12125550167';
/** A customer whom people dial with an 8. */
const RUSSIAN = '79161234567';
const MOBILE = '19175550130';
const START = 63_962_395_200;

/** One leg: the direction, who called whom, seconds of talk, when it ended, and other fields. */
type LegRow = [
	'in' | 'out',
	from: string,
	to: string,
	more?: { talk?: number; end?: number; cause?: string } & IDataObject,
];
type CallRows = LegRow[];

function recordOf([side, from, to, more = {}]: LegRow, bridge: string): IDataObject {
	const { talk = 0, end = 0, cause, ...fields } = more;
	return {
		CALL_DIRECTION: side === 'in' ? 'inbound' : 'outbound',
		BRIDGE_ID: bridge,
		CALLER_ID_NUMBER: from,
		CALLEE_ID_NUMBER: to,
		TIMESTAMP: String(START + end),
		BILLING_SECONDS: String(talk),
		HANGUP_CAUSE: cause ?? (talk > 0 ? 'NORMAL_CLEARING' : 'ORIGINATOR_CANCEL'),
		...fields,
	};
}

/** Reads the first of several calls, in the credential's way. */
function readFirst(calls: CallRows[], credential: IDataObject = {}, isReversed = false) {
	const source = {
		dialect: { stampsBegin: false },
		calls: callSettingsOf(credential),
		recordingAddress: () => undefined,
	};
	const records = calls.flatMap((rows, index) =>
		rows.map((row) => new Cdr(recordOf(row, `call ${index}`), source)),
	);
	const call = groupByCall(isReversed ? records.reverse() : records).find(
		({ callId }) => callId === 'call 0',
	);
	if (!call) throw new Error('The call is lost');
	return call;
}

function decidingRow(calls: CallRows[], credential?: IDataObject) {
	const { legs, shown } = readFirst(calls, credential);
	const settings = callSettingsOf(credential ?? {});
	const { first, called, account } = partsOf(legs.map(legOfCdr), { ...settings, shown });
	return first && EVIDENCE.find((row) => row.holds({ first, called, account }))?.name;
}

const REALM = { realm: 'company.pbx.example' };
const others: CallRows = [
	['in', CUSTOMER, LINE],
	['out', CUSTOMER, '101'],
];

describe('who began a call', () => {
	const decided: Array<[string, CallRows[], IDataObject?]> = [
		['an emergency number was called', [[['in', '101', '112', { emergency_resource_used: true }]]]],
		['a line placed it', [[['in', '101', LINE, { authorizing_type: 'resource', owner_id: 'o' }]]]],
		[
			'a device or user of the account placed it',
			[[['in', LINE, CUSTOMER, { AUTHORIZING_ID: 'd' }]]],
		],
		[
			'no device or user placed it, although the account names them',
			[[['in', '900', LINE, { owner_id: '', authorizing_id: '' }]]],
		],
		[
			'no device or user placed it, although the account names them',
			[[['in', '900', LINE]], [['in', '101', CUSTOMER, { owner_id: 'o' }]]],
		],
		[
			'the dialed number was called',
			[
				[
					['in', LINE, CUSTOMER],
					['out', LINE, CUSTOMER],
				],
			],
		],
		['a code was dialed', [[['in', CUSTOMER, '*97']]]],
		[
			'the caller is an extension that calls from outside have rung',
			[
				[
					['in', '101', LINE],
					['out', '101', '102'],
				],
				others,
			],
		],
		[
			"a full number was dialed, and the company's phones ring",
			[
				[
					['in', '900', LINE],
					['out', '900', '101'],
				],
			],
		],
		[
			'a full number was dialed, and another one was called for it: a forwarded call',
			[
				[
					['in', '900', LINE],
					['out', '900', MOBILE],
				],
			],
		],
		[
			'a full number was dialed, and another one was called for it: a forwarded call',
			[
				[
					['in', '900', LINE],
					['out', LINE, MOBILE],
				],
			],
		],
		[
			"the caller's user is of another realm than the account's",
			[[['in', 'sip:101@partner.example.com', LINE]], others],
			REALM,
		],
		[
			"the caller's user is of the account's realm",
			[[['in', 'sip:101@company.pbx.example', LINE]]],
			REALM,
		],
		[
			"the caller's user is of another realm than the account's",
			[[['in', 'sip:anna@partner.example.com', LINE]]],
			REALM,
		],
		['other callers call the same number', [[['in', '900', LINE]], others]],
		['the caller looks like an extension or a SIP user', [[['in', '101', CUSTOMER]]]],
		['anything else', [[['in', CUSTOMER, '101']]]],
	];

	it.each(decided)('is decided as "%s"', (...[name, calls, credential]) => {
		expect(decidingRow(calls, credential)).toBe(name);
	});

	it('is decided by rows that each have a test', () => {
		expect(new Set(decided.map(([name]) => name))).toEqual(
			new Set(EVIDENCE.map(({ name }) => name)),
		);
	});
});

const incoming = { callType: 'incoming', missed: true };
const hidden = { ...incoming, customerNumber: null, details: { customerHidden: true } };
const outgoing = { callType: 'outgoing', missed: false, customerNumber: CUSTOMER, employee: '101' };
const toRussia = { ...outgoing, customerNumber: RUSSIAN };
const talked = (from: string, to: string): LegRow[] => [
	['in', '101', from, { talk: 60 }],
	['out', LINE, to, { talk: 60 }],
];

describe('a call, as a person tells it', () => {
	it.each<[string, CallRows[], IDataObject, IDataObject?]>([
		...[
			'+0000000000',
			'anonymous;verstat=No-TN-Validation',
			'tel:anonymous',
			'sip:anonymous@anonymous.invalid',
			'"Anonymous" <sip:c8oq@anonymous.invalid>',
			'<sip:@trunk.example>',
			'No Caller ID',
			'Скрытый номер',
			'Номер не определён',
			'Unterdrückte Rufnummer',
			'Numéro masqué',
			'Numero sconosciuto',
			'Número não identificado',
			'Gizli Numara',
			'Numer zastrzeżony',
			'NoCallerID',
			'OUT-OF-AREA',
			'N/A',
			'-',
			'нет номера',
			'Номер скрыт абонентом',
			'не известен',
			'Not available',
			'(000) 000-0000',
			'Engellendi',
			'94844353',
			'anonymous.invalid',
			'sip:[2001:db8::1]:5060',
		].map((from): [string, CallRows[], IDataObject] => [
			`from ${from}`,
			[
				[
					['in', from, LINE],
					['out', from, '101'],
				],
			],
			hidden,
		]),
		...[
			'+12155551212;cpc=ordinary',
			'+12155551212;npdi;rn=+12155550000',
			'sip:+12155551212;npdi;rn=+12155550000@trunk.example;user=phone',
			'sip:%2B12155551212@trunk.example',
			'tel:+12155551212;ext=204',
			'+12155551212,204',
			'+12155551212 ext. 204',
			'+12155551212 доб. 12',
			'+12155551212 добавочный 12',
		].map((from): [string, CallRows[], IDataObject] => [
			`from ${from}`,
			[[['in', from, LINE]]],
			{ ...incoming, customerNumber: '+12155551212', details: { fromUri: from } },
		]),
		[
			'an extension is one by the credential',
			[[['in', '900', LINE]]],
			incoming,
			{ extensions: '4' },
		],
		["an employee's failed call is no missed one", [[['in', '101', CUSTOMER]]], outgoing],
		[
			"an employee's failed call to someone who calls us is no missed one",
			[[['in', '101', CUSTOMER]], others],
			outgoing,
		],
		['a bank is missed', [[['in', '900', LINE]], others], { ...incoming, customerNumber: '900' }],
		[
			'a bank is missed that a colleague has called',
			[
				[['in', '900', LINE]],
				[
					['in', '101', '900'],
					['out', '101', '900'],
				],
				others,
			],
			{ ...incoming, customerNumber: '900' },
		],
		[
			'a colleague calls the main number',
			[[['in', '101', LINE, { talk: 9 }]], others],
			{ callType: 'internal' },
		],
		['a prefix 0', [talked(`0${CUSTOMER}`, CUSTOMER)], outgoing],
		['a prefix 9 before an 8', [talked('989161234567', RUSSIAN)], toRussia],
		['a prefix 00', [talked('0089161234567', RUSSIAN)], toRussia],
		['#31#', [talked(`#31#${CUSTOMER}`, CUSTOMER)], outgoing],
		['# at the end', [talked(`${CUSTOMER}#`, CUSTOMER)], outgoing],
		['a code without the leg to the carrier', [[['in', '101', `*67${CUSTOMER}`]]], outgoing],
		['a speed dial', [talked('*5', CUSTOMER)], outgoing],
		[
			'picked up a second early, by a code',
			[
				[
					['in', CUSTOMER, LINE, { talk: 50, end: 60 }],
					['out', CUSTOMER, '101', { end: 10, cause: 'PICKED_OFF' }],
					['in', '102', '*8', { talk: 51, end: 60 }],
				],
			],
			{ callType: 'incoming', employee: '102', customerNumber: CUSTOMER, talkSeconds: 50 },
		],
		[
			'taken from a slot with a short number',
			[
				[
					['in', CUSTOMER, LINE, { talk: 200, end: 400 }],
					['out', CUSTOMER, '101', { talk: 40, end: 245 }],
					['in', '102', '701', { talk: 100, end: 400 }],
				],
			],
			{ callType: 'incoming', employee: '102' },
		],
		[
			'answered elsewhere, while another phone did not answer',
			[
				[
					['in', CUSTOMER, LINE, { talk: 50 }],
					['out', CUSTOMER, '101', { cause: 'ANSWERED_ELSEWHERE' }],
					['out', CUSTOMER, '102', { cause: 'NO_ANSWER' }],
				],
			],
			{ outcome: 'answered', employee: null, talkSeconds: 50 },
		],
		[
			'transferred by who talked longer',
			[
				[
					['in', CUSTOMER, LINE, { talk: 300, end: 300 }],
					['out', CUSTOMER, '101', { talk: 200, end: 210 }],
					['out', CUSTOMER, '102', { talk: 80, end: 300 }],
				],
			],
			{
				employee: '102',
				details: {
					employees: [
						{ employee: '101', talkSeconds: 200 },
						{ employee: '102', talkSeconds: 80 },
					],
				},
			},
		],
		[
			'placed, and transferred to a colleague',
			[
				[
					['in', '101', CUSTOMER, { talk: 30, end: 40 }],
					['out', LINE, CUSTOMER, { talk: 190, end: 200 }],
					['out', CUSTOMER, '102', { talk: 150, end: 200 }],
				],
			],
			{ callType: 'outgoing', employee: '102', talkSeconds: 190 },
		],
		[
			'forwarded to a cell phone, where it is answered',
			[
				[
					['in', CUSTOMER, LINE, { talk: 30 }],
					['out', CUSTOMER, MOBILE, { talk: 30 }],
					['in', CUSTOMER, MOBILE, { talk: 30 }],
					['out', CUSTOMER, MOBILE, { talk: 30 }],
				],
			],
			{
				callType: 'incoming',
				outcome: 'answered',
				employee: null,
				companyNumber: LINE,
				talkSeconds: 30,
			},
		],
		[
			'forwarded to a cell phone, where nobody answers',
			[
				[
					['in', CUSTOMER, LINE],
					['out', CUSTOMER, MOBILE],
					['in', CUSTOMER, MOBILE],
					['out', CUSTOMER, MOBILE],
				],
			],
			{ ...incoming, outcome: 'noAnswer', customerNumber: CUSTOMER, companyNumber: LINE },
		],
		[
			'answered on one of three phones of an employee',
			[
				[
					['in', CUSTOMER, LINE, { talk: 60 }],
					['out', CUSTOMER, '101', { talk: 60 }],
					['out', CUSTOMER, '101', { cause: 'LOSE_RACE' }],
					['out', CUSTOMER, '101', { cause: 'LOSE_RACE' }],
				],
			],
			{ employee: '101', details: { employees: [{ employee: '101', talkSeconds: 60 }] } },
		],
		[
			'taken by nobody but the music of a queue',
			[
				[
					['in', CUSTOMER, LINE, { talk: 90 }],
					['out', CUSTOMER, '101', { cause: 'NO_ANSWER' }],
					['out', CUSTOMER, '102', { cause: 'NO_ANSWER' }],
				],
			],
			{ ...incoming, outcome: 'voicemail', employee: null, talkSeconds: 0 },
		],
		[
			'a call back that rings the customer first',
			[
				[
					['out', LINE, CUSTOMER, { talk: 60 }],
					['out', CUSTOMER, '101', { talk: 50 }],
				],
			],
			{ ...outgoing, outcome: 'answered' },
		],
		...[{ fax_success: true }, { module: 'conference' }, { media_type: 'image/tiff' }].map(
			(fields): [string, CallRows[], IDataObject] => [
				`taken by a machine: ${JSON.stringify(fields)}`,
				[[['in', CUSTOMER, LINE, { talk: 45, ...fields }]]],
				{ callType: 'incoming', outcome: 'answered', missed: false },
			],
		),
		[
			'with seconds below zero',
			[
				[
					['in', CUSTOMER, LINE, { talk: 60 }],
					['out', CUSTOMER, '101', { talk: -5, cause: 'NORMAL_CLEARING' }],
				],
			],
			{ employee: '101', talkSeconds: 60 },
		],
	])('%s', (...[, calls, expected, credential]) => {
		for (const isReversed of [false, true]) {
			const { legs, shown } = readFirst(calls, credential, isReversed);
			expect(simplifyCall(legs, { shown })).toMatchObject(expected);
		}
	});
});
