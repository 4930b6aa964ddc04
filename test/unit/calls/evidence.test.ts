import type { IDataObject } from 'n8n-workflow';

import { partsOf } from '../../../nodes/VirtualPbx/calls/leg';
import { EVIDENCE } from '../../../nodes/VirtualPbx/calls/parties';
import { simplifyCall } from '../../../nodes/VirtualPbx/calls/record';
import { legOfCdr, groupByCall } from '../../../nodes/VirtualPbx/calls/recordedCalls';
import { Cdr } from '../../../nodes/VirtualPbx/pbx/cdrs/cdr';
import { callSettingsOf } from '../../../nodes/VirtualPbx/pbx/credential';

/** People dial the Russian customer with an 8. */
const NUMBERS: Record<string, string> = {
	...{ LINE: '12125550100', CUSTOMER: '12125550167' },
	...{ RUSSIAN: '79161234567', MOBILE: '19175550130' },
};
const START = 63_962_395_200;

/**
 * Calls as text: `in` or `out` for each leg, who called whom, and fields such as `talk` and `end` in seconds. Commas
 * stand between legs, and bars between calls.
 */
const recordsIn = (calls: string): IDataObject[] =>
	calls.split(' | ').flatMap((call, index) =>
		call.split(', ').map((leg) => {
			const text = leg.replace(/[A-Z]{4,}\b(?!_)/g, (word) => NUMBERS[word] ?? word);
			const [side, from, to, ...more] = text.split(' ');
			const {
				talk,
				end = 0,
				cause,
				...fields
			} = Object.fromEntries(more.map((field) => field.split('='))) as IDataObject;
			return {
				...{ CALL_DIRECTION: side === 'in' ? 'inbound' : 'outbound', BRIDGE_ID: `call ${index}` },
				...{ CALLER_ID_NUMBER: from, CALLEE_ID_NUMBER: to },
				...{ TIMESTAMP: String(START + Number(end)), BILLING_SECONDS: talk ?? '0' },
				HANGUP_CAUSE: cause ?? (Number(talk) > 0 ? 'NORMAL_CLEARING' : 'ORIGINATOR_CANCEL'),
				...fields,
			};
		}),
	);

/** Reads the first of several calls, in the credential's way. */
function readFirst(records: IDataObject[], credential: IDataObject = {}) {
	const source = {
		dialect: { stampsBegin: false },
		calls: callSettingsOf(credential),
		recordingAddress: () => undefined,
	};
	const call = groupByCall(records.map((record) => new Cdr(record, source))).find(
		({ callId }) => callId === 'call 0',
	);
	if (!call) throw new Error('The call is lost');
	return call;
}

function decidingRow(calls: string, credential: IDataObject = {}) {
	const { legs, shown } = readFirst(recordsIn(calls), credential);
	const settings = callSettingsOf(credential);
	const { first, called, account } = partsOf(legs.map(legOfCdr), { ...settings, shown });
	return first && EVIDENCE.find((row) => row.holds({ first, called, account }))?.name;
}

const REALM = { realm: 'company.pbx.example' };
const others = 'in CUSTOMER LINE, out CUSTOMER 101';

describe('who began a call', () => {
	const decided: Array<[string, string, IDataObject?]> = [
		['an emergency number was called', 'in 101 112 emergency_resource_used=true'],
		['a line placed it', 'in 101 LINE authorizing_type=resource owner_id=o'],
		['a device or user of the account placed it', 'in LINE CUSTOMER AUTHORIZING_ID=d'],
		...['in 900 LINE owner_id= authorizing_id=', 'in 900 LINE | in 101 CUSTOMER owner_id=o'].map(
			(call): [string, string] => [
				'no device or user placed it, although the account names them',
				call,
			],
		),
		['the dialed number was called', 'in LINE CUSTOMER, out LINE CUSTOMER'],
		['the dialed number was called', 'in LINE 9112, out LINE 112 authorizing_type=resource'],
		['a code was dialed', 'in CUSTOMER *97'],
		[
			'the caller is an extension that calls from outside have rung',
			`in 101 LINE, out 101 102 | ${others}`,
		],
		["a full number was dialed, and the company's phones ring", 'in 900 LINE, out 900 101'],
		...['in 900 LINE, out 900 MOBILE', 'in 900 LINE, out LINE MOBILE'].map(
			(call): [string, string] => [
				'a full number was dialed, and another one was called for it: a forwarded call',
				call,
			],
		),
		[
			"the caller's user is of another realm than the account's",
			`in sip:101@partner.example.com LINE | ${others}`,
			REALM,
		],
		[
			"the caller's user is of another realm than the account's",
			'in sip:anna@partner.example.com LINE',
			REALM,
		],
		["the caller's user is of the account's realm", 'in sip:101@company.pbx.example LINE', REALM],
		['other callers call the same number', `in 900 LINE | ${others}`],
		['the caller looks like an extension or a SIP user', 'in 101 CUSTOMER'],
		['anything else', 'in CUSTOMER 101'],
	];

	it.each(decided)('is decided as "%s": %s', (...[name, calls, credential]) => {
		expect(decidingRow(calls, credential)).toBe(name);
	});

	it('is decided by rows that each have a test', () => {
		expect(new Set(decided.map(([name]) => name))).toEqual(
			new Set(EVIDENCE.map(({ name }) => name)),
		);
	});
});

const CUSTOMER = NUMBERS.CUSTOMER ?? '';
const incoming = { callType: 'incoming', missed: true };
const outgoing = { callType: 'outgoing', missed: false, customerNumber: CUSTOMER, employee: '101' };
const toRussia = { ...outgoing, customerNumber: NUMBERS.RUSSIAN };
const answered = { callType: 'incoming', outcome: 'answered', missed: false };
const fromCustomer = 'in CUSTOMER LINE talk=60, out CUSTOMER 101 talk=60';
const dialed = (text: string, to = 'CUSTOMER') => `in 101 ${text} talk=60, out LINE ${to} talk=60`;
/** The phones that rang or were talked on, from what is told of them. */
const employees = (...told: Array<[employee: string, talkSeconds: number]>) => ({
	details: { employees: told.map(([employee, talkSeconds]) => ({ employee, talkSeconds })) },
});

describe('a call, as a person tells it', () => {
	const expectTold = (records: IDataObject[], expected: IDataObject, credential?: IDataObject) => {
		for (const ordered of [records, [...records].reverse()]) {
			const { legs, shown } = readFirst(ordered, credential);
			expect(simplifyCall(legs, { shown })).toMatchObject(expected);
		}
	};

	it.each(
		`+0000000000|anonymous;verstat=No-TN-Validation|tel:anonymous|sip:anonymous@anonymous.invalid
		"Anonymous" <sip:c8oq@anonymous.invalid>|<sip:@trunk.example>|No Caller ID|Скрытый номер
		Номер не определён|Unterdrückte Rufnummer|Numéro masqué|Numero sconosciuto
		Número não identificado|Gizli Numara|Numer zastrzeżony|NoCallerID|OUT-OF-AREA|N/A|-|нет номера
		Номер скрыт абонентом|не известен|Not available|(000) 000-0000|Engellendi|94844353
		anonymous.invalid|sip:[2001:db8::1]:5060`.split(/\||\n\t*/),
	)('from %s has a customer who hides the number', (CALLER_ID_NUMBER) => {
		const records = recordsIn('in - LINE, out - 101').map((leg) => ({ ...leg, CALLER_ID_NUMBER }));
		const hidden = { customerNumber: null, details: { customerHidden: true } };
		expectTold(records, { ...incoming, ...hidden });
	});

	it.each(
		`+12155551212;cpc=ordinary|+12155551212;npdi;rn=+12155550000|sip:%2B12155551212@trunk.example
		sip:+12155551212;npdi;rn=+12155550000@trunk.example;user=phone|tel:+12155551212;ext=204
		+12155551212,204|+12155551212 ext. 204|+12155551212 доб. 12|+12155551212 добавочный 12`.split(
			/\||\n\t*/,
		),
	)('from %s has its number, and shows how it came', (CALLER_ID_NUMBER) => {
		const records = recordsIn('in - LINE').map((leg) => ({ ...leg, CALLER_ID_NUMBER }));
		const details = { fromUri: CALLER_ID_NUMBER };
		expectTold(records, { ...incoming, customerNumber: '+12155551212', details });
	});

	it.each<[what: string, calls: string, expected: IDataObject, credential?: IDataObject]>([
		['an extension is one by the credential', 'in 900 LINE', incoming, { extensions: '4' }],
		["an employee's failed call is no missed one", 'in 101 CUSTOMER', outgoing],
		['nor is one to someone who calls us', `in 101 CUSTOMER | ${others}`, outgoing],
		['a bank is missed', `in 900 LINE | ${others}`, { ...incoming, customerNumber: '900' }],
		[
			'a bank is missed that a colleague has called',
			`in 900 LINE | in 101 900, out 101 900 | ${others}`,
			{ ...incoming, customerNumber: '900' },
		],
		[
			'a colleague calls the main number',
			`in 101 LINE talk=9 | ${others}`,
			{ callType: 'internal' },
		],
		['a prefix 0', dialed('0CUSTOMER'), outgoing],
		['a prefix 9 before an 8', dialed('989161234567', 'RUSSIAN'), toRussia],
		['a prefix 00', dialed('0089161234567', 'RUSSIAN'), toRussia],
		['#31#', dialed('#31#CUSTOMER'), outgoing],
		['# at the end', dialed('CUSTOMER#'), outgoing],
		['a code without the leg to the carrier', 'in 101 *67CUSTOMER', outgoing],
		['a speed dial', dialed('*5'), outgoing],
		[
			'picked up a second early, by a code',
			`in CUSTOMER LINE talk=50 end=60, out CUSTOMER 101 end=10 cause=PICKED_OFF,
			in 102 *8 talk=51 end=60`,
			{ callType: 'incoming', employee: '102', customerNumber: CUSTOMER, talkSeconds: 50 },
		],
		[
			'picked up at another phone, whose leg is recorded elsewhere',
			'in CUSTOMER LINE talk=33, out CUSTOMER 101 cause=PICKED_OFF',
			answered,
		],
		[
			'picked up at once, which only the leg of the caller says',
			'in CUSTOMER LINE cause=PICKED_OFF',
			answered,
		],
		[
			'taken from a slot with a short number',
			`in CUSTOMER LINE talk=200 end=400, out CUSTOMER 101 talk=40 end=245,
			in 102 701 talk=100 end=400`,
			{ callType: 'incoming', employee: '102' },
		],
		[
			'answered elsewhere, while another phone did not answer',
			`in CUSTOMER LINE talk=50, out CUSTOMER 101 cause=ANSWERED_ELSEWHERE,
			out CUSTOMER 102 cause=NO_ANSWER`,
			{ outcome: 'answered', employee: null, talkSeconds: 50 },
		],
		[
			'transferred by who talked longer',
			`in CUSTOMER LINE talk=300 end=300, out CUSTOMER 101 talk=200 end=210,
			out CUSTOMER 102 talk=80 end=300`,
			{ employee: '102', ...employees(['101', 200], ['102', 80]) },
		],
		[
			'transferred by a colleague to a mobile, where it is talked on longer',
			`in CUSTOMER LINE talk=95 end=99, out CUSTOMER 101 talk=30 end=34,
			out CUSTOMER MOBILE talk=65 end=99`,
			{ outcome: 'answered', employee: '101', details: { answeredBy: NUMBERS.MOBILE } },
		],
		[
			'placed, and transferred to a colleague',
			`in 101 CUSTOMER talk=30 end=40, out LINE CUSTOMER talk=190 end=200,
			out CUSTOMER 102 talk=150 end=200`,
			{ callType: 'outgoing', employee: '102', talkSeconds: 190 },
		],
		[
			'forwarded to a cell phone, where it is answered',
			`in CUSTOMER LINE talk=30, out CUSTOMER MOBILE talk=30, in CUSTOMER MOBILE talk=30,
			out CUSTOMER MOBILE talk=30`,
			{ ...answered, employee: null, companyNumber: NUMBERS.LINE, talkSeconds: 30 },
		],
		[
			'forwarded to a cell phone, where nobody answers',
			'in CUSTOMER LINE, out CUSTOMER MOBILE, in CUSTOMER MOBILE, out CUSTOMER MOBILE',
			{ ...incoming, outcome: 'noAnswer', customerNumber: CUSTOMER, companyNumber: NUMBERS.LINE },
		],
		[
			'answered on one of three phones of an employee',
			`${fromCustomer}, out CUSTOMER 101 cause=LOSE_RACE, out CUSTOMER 101 cause=LOSE_RACE`,
			{ employee: '101', ...employees(['101', 60]) },
		],
		[
			'answered by a phone that the exchange calls by a SIP user name',
			'in CUSTOMER LINE talk=33, out CUSTOMER sip:user_100_1@h talk=30',
			{ outcome: 'answered', employee: '100', details: { answeredBy: 'user_100_1' } },
		],
		[
			'taken by nobody but the music of a queue',
			`in CUSTOMER LINE talk=90, out CUSTOMER 101 cause=NO_ANSWER, out CUSTOMER 102 cause=USER_BUSY`,
			{ ...incoming, outcome: 'voicemail', employee: null, talkSeconds: 0 },
		],
		[
			'lost at two phones that failed apart, whose caller is unknown',
			'out CUSTOMER 101 cause=USER_BUSY, out CUSTOMER 102 cause=NO_ANSWER',
			{ outcome: 'noAnswer' },
		],
		[
			'a call back that rings the customer first',
			'out LINE CUSTOMER talk=60, out CUSTOMER 101 talk=50',
			{ ...outgoing, outcome: 'answered' },
		],
		...['fax_success=true', 'module=conference', 'media_type=image/tiff'].map(
			(field): [string, string, IDataObject] => [
				`taken by a machine: ${field}`,
				`in CUSTOMER LINE talk=45 ${field}`,
				answered,
			],
		),
		[
			'with seconds below zero',
			'in CUSTOMER LINE talk=60, out CUSTOMER 101 talk=-5 cause=NORMAL_CLEARING',
			{ employee: '101', talkSeconds: 60 },
		],
	])('%s', (...[, calls, expected, credential]) => {
		expectTold(recordsIn(calls.replace(/,\n\t*/g, ', ')), expected, credential);
	});
});
