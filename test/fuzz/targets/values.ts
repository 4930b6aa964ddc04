import assert from 'node:assert/strict';
import fc from 'fast-check';

import { answerWords, fieldComplaints } from '../../../nodes/VirtualPbx/values/answerWords';
import * as cdr from '../../../nodes/VirtualPbx/records/cdr';
import { deliveryAddress, otherSide, reachOf } from '../../../nodes/VirtualPbx/triggers/address';
import { dispositionName, labelFile } from '../../../nodes/VirtualPbx/transport/storeFile';
import * as flow from '../../../nodes/VirtualPbx/pivot/module';
import {
	compareTexts,
	asText,
	isObject,
	isOn,
	isStructure,
	parseStructure,
	percentDecoded,
	withNulls,
} from '../../../nodes/VirtualPbx/values/json';
import {
	areExtensions,
	bareNumber,
	sameNumber,
	findNoNumber,
	readNumberMatch,
	numberOf,
	readParty,
} from '../../../nodes/VirtualPbx/values/numbers';
import * as causes from '../../../nodes/VirtualPbx/values/hangupCause';
import * as outcomes from '../../../nodes/VirtualPbx/calls/outcome';
import { simplifyCdr } from '../../../nodes/VirtualPbx/records/output';
import { mergeDocument } from '../../../nodes/VirtualPbx/transport/documents';
import { networkFault } from '../../../nodes/VirtualPbx/values/errorTable';
import { patternFault } from '../../../nodes/VirtualPbx/operations/callflow/fields';
import { pivotData, voiceUrlFault, webserverOf } from '../../../nodes/VirtualPbx/pivot/module';
import * as secrets from '../../../nodes/VirtualPbx/values/secrets';
import {
	countryOptions,
	inCountry,
	readCountry,
} from '../../../nodes/VirtualPbx/values/phone/country';
import { crmForms } from '../../../nodes/VirtualPbx/values/phone/crmForms';
import { toE164, toNational } from '../../../nodes/VirtualPbx/values/phone/toE164';
import * as time from '../../../nodes/VirtualPbx/values/time';
import { json, object, spoilt, text, withText } from '../hostile';
import { isJson, target } from '../target';
import { records } from './samples';

const EMPTY_CDR = simplifyCdr({});
const CDR_SHAPE = Object.keys(EMPTY_CDR);
const WORDS = ['message', 'error', 'errors', 'data', 'detail', 'field'];
const ZONES = fc.constantFrom('UTC', 'Europe/Moscow', 'Asia/Kathmandu', 'America/New_York');
const flows = spoilt(
	fc.constant({ module: 'pivot', data: { voice_url: '{dflow}&webserver=x' }, children: {} }),
);

/** What the fields of answers, records and parameters run into. */
export const valueTargets = [
	target(
		'delivery addresses',
		[deliveryAddress, otherSide],
		fc.tuple(fc.webUrl(), withText(fc.oneof(fc.webUrl({ withQueryParameters: true }), text))),
		([n8nUrl, given]) => {
			const address = deliveryAddress(n8nUrl, given);
			if ('url' in address) assert.ok(URL.canParse(otherSide(address.url)));
			else assert.notEqual(address.fault, '');
		},
	),
	target(
		'points in time',
		[time.readInstant, time.numberToUnixMs, time.timeUnit, time.toIso, time.startOfDay],
		fc.tuple(fc.oneof(json(), fc.anything(), text), ZONES),
		([value, zone]) => {
			assert.ok(time.startOfDay(zone, -1) < time.startOfDay(zone, 0));
			for (const at of [time.readInstant(value, zone), time.numberToUnixMs(value)])
				if (at !== undefined) assert.ok(Number.isFinite(Date.parse(time.toIso(at))));
			if (typeof value === 'number') time.timeUnit(value);
		},
	),
	target(
		'Gregorian seconds',
		[time.unixToGregorian, time.gregorianToUnix],
		fc.integer({ min: -(10 ** 11), max: 10 ** 11 }),
		(seconds) => {
			assert.equal(time.gregorianToUnix(time.unixToGregorian(seconds)), seconds);
		},
	),
	target(
		'numbers and causes',
		[
			numberOf,
			readParty,
			areExtensions,
			bareNumber,
			sameNumber,
			causes.hangupWords,
			causes.causeCode,
			causes.unansweredKind,
			outcomes.outcomeOfLeg,
			outcomes.outcomeOfCall,
			outcomes.isNormalEnd,
			compareTexts,
			readNumberMatch,
			findNoNumber,
			asText,
			isObject,
			isOn,
			isStructure,
			parseStructure,
			percentDecoded,
			withNulls,
		],
		fc.tuple(text, withText(json())),
		([value, list]) => {
			assert.ok(percentDecoded(value).length <= value.length);
			assert.ok(isStructure(parseStructure(value) ?? {}));
			const { number, name } = readParty(value);
			assert.equal(numberOf(value), number);
			assert.notEqual(name, '');
			assert.doesNotMatch(bareNumber(value), /[\s()-]/);
			if (areExtensions(value)) assert.equal(numberOf(value), value);
			assert.equal(typeof causes.hangupWords(value), 'string');
			assert.notEqual(causes.causeCode(value), '');
			const kind = causes.unansweredKind(value);
			for (const state of ['unanswered', 'unsaid'] as const) {
				const isAnswered = state === 'unsaid' && outcomes.isNormalEnd(value);
				const outcome = outcomes.outcomeOfLeg({ state, cause: value });
				assert.equal(outcome, isAnswered ? 'answered' : (kind ?? 'noAnswer'));
			}
			assert.equal(compareTexts(value, value), 0);
			const match = readNumberMatch(list);
			const noNumber = findNoNumber(list);
			assert.ok(noNumber === undefined || noNumber !== '');
			if (match) assert.equal(typeof match(value), 'boolean');
			const words = asText(list);
			assert.ok(words === undefined || words.length > 0);
			assert.equal(typeof isOn(list), 'boolean');
			assert.equal(isObject(list), typeof list === 'object' && !!list && !Array.isArray(list));
		},
	),
	target(
		'telephone numbers',
		[toE164, toNational, crmForms, readCountry, inCountry, countryOptions],
		fc.tuple(
			fc.oneof(text, fc.stringMatching(/^[+(]?[0-9 ().-]{4,40}$/)),
			fc.oneof(text, fc.stringMatching(/^[A-Z]{2}$/), fc.constantFrom('RU', 'AR', 'AG', 'GB')),
		),
		([number, country]) => {
			const known = toE164(number, country);
			const code = readCountry(country);
			assert.equal(
				countryOptions().some(({ value }) => value === code),
				code !== undefined,
			);
			const item = { from: number, to: '100', details: { legs: [{ from: number }, number] } };
			const shown = code === undefined ? undefined : toE164(number, code);
			assert.deepEqual(inCountry(item, code).from, shown ?? number);
			const forms = crmForms(number, country);
			assert.equal(new Set(forms).size, forms.length);
			for (const form of forms) assert.match(form, /^\+?\d+$/);
			if (known === undefined) return;
			assert.equal(forms[0], known);
			const national = toNational(known, country);
			assert.ok(national === undefined || forms.includes(national));
			assert.match(known, /^\+[1-9]\d{5,18}$/);
			assert.equal(toE164(known, country) ?? known, known);
		},
	),
	target(
		'call records',
		Object.values(cdr).filter((one) => typeof one === 'function'),
		records,
		(record) => {
			const simple = simplifyCdr(record);
			isJson(simple);
			assert.deepEqual(Object.keys(simple).sort(), [...CDR_SHAPE].sort());
			assert.ok(Number.isFinite(cdr.cdrSeconds(record)));
			assert.equal(cdr.cdrTalk(record) ?? 0, cdr.cdrSeconds(record));
			const leg = cdr.legOfCdr(record);
			assert.equal(outcomes.outcomeOfLeg(leg), simple.outcome);
			assert.ok(['caller', 'called', undefined].includes(cdr.sideOf(record)));
			isJson(withNulls({ ...leg }));
			const { details } = simple;
			assert.deepEqual(Object.keys(details as object), Object.keys(EMPTY_CDR.details as object));
			assert.notEqual(cdr.cdrText(record, 'REC_LINK'), '');
			assert.ok(Number.isFinite(cdr.cdrTime(record) ?? 0));
			assert.ok(cdr.cdrRecording(record)?.address !== '');
		},
	),
	target(
		'names of recordings',
		[labelFile, dispositionName],
		fc.tuple(
			text,
			text,
			fc.record({
				'content-type': text,
				'content-disposition': fc.oneof(
					text,
					text.map((name) => `attachment; filename="${name}"`),
					text.map((name) => `attachment; filename*=utf-8''${name}`),
				),
			}),
		),
		([link, file, headers]) => {
			const { fileName } = labelFile(headers, file, link);
			const signs = [...fileName];
			assert.ok(signs.every((sign) => sign > '\u001f' && sign !== '/' && sign !== '\\'));
			assert.ok(fileName !== '');
			assert.doesNotMatch(dispositionName(headers['content-disposition']), /[/\\]/);
		},
	),
	target(
		'addresses for deliveries',
		[deliveryAddress, otherSide],
		fc.oneof(text, fc.webUrl(), json()),
		(given) => {
			const own = 'https://n8n.example.com/webhook/an-id/webhook';
			const address = deliveryAddress(own, given);
			const isPlaced = 'url' in address && address.url.endsWith('/webhook/an-id/webhook');
			assert.ok(isPlaced || ('fault' in address && address.fault !== ''));
			assert.equal(otherSide(otherSide(own)), own);
		},
	),
	target(
		'known secrets',
		[secrets.blankSecrets, secrets.blankWebhookSecrets],
		fc.tuple(json(), fc.stringMatching(/^[0-9a-f]{64}$/)),
		([body, secret]) => {
			const said = { message: `no ${secret}`, [secret]: [body, encodeURIComponent(secret)] };
			assert.ok(!JSON.stringify(secrets.blankSecrets(said, [secret])).includes(secret));
			const words = `${JSON.stringify(body)}${secret.slice(3)}`;
			for (const known of [[], [secret]])
				assert.ok(!secrets.blankWebhookSecrets(words, known).includes(secret.slice(3)));
		},
	),
	target('words of an answer', [answerWords, fieldComplaints], json(WORDS), (body) => {
		const words = answerWords(body);
		assert.ok(words === undefined || (words.length <= 301 && !words.includes('\n')));
		for (const one of fieldComplaints(body)) assert.ok(one.field !== '');
	}),
	target(
		'network faults',
		[networkFault],
		fc.tuple(
			fc.oneof(withText(json(['code', 'message', 'cause', 'messages'])), text.map(errorOf)),
			text,
		),
		([error, host]) => assert.ok(networkFault(error, host).reason !== ''),
	),
	target(
		'addresses',
		[webserverOf, voiceUrlFault, pivotData, reachOf],
		fc.oneof(
			text,
			text.map((host) => `https://${host}`),
			fc.webUrl(),
		),
		(address) => {
			const read = webserverOf(address);
			if ('fault' in read) return assert.ok(read.fault !== '');
			const pivot = { webserver: read.webserver, method: 'GET', timeout: '5', format: 'pbx' };
			assert.equal(voiceUrlFault(pivotData(pivot, 'id').voice_url), undefined);
			assert.deepEqual(webserverOf(read.webserver), read, 'What was read is read the same');
			assert.match(
				reachOf(new URL(`https://${read.webserver}`).hostname),
				/^(local|private|public)$/,
			);
		},
	),
	target('patterns', [patternFault], text, (pattern) => {
		assert.notEqual(patternFault(pattern), '');
	}),
	target(
		'callflows',
		[flow.flowFault, flow.completeFlow, flow.withPivotRoot],
		fc.oneof(flows, json(['module', 'data', 'children'])),
		(value) => {
			assert.notEqual(flow.flowFault(value), '');
			const rooted = flow.withPivotRoot(value, { method: 'GET' });
			assert.equal(rooted.module, 'pivot');
			if (flow.flowFault(value) !== undefined || !isObject(value)) return;
			const complete = flow.completeFlow(value);
			assert.deepEqual(flow.completeFlow(complete), complete);
		},
	),
	target(
		'merged documents',
		[mergeDocument],
		fc.tuple(object(['id', 'name', 'flow']), object(['name', 'numbers'])),
		([current, changes]) => {
			const merged = mergeDocument(current, changes);
			for (const [name, value] of Object.entries(changes)) {
				assert.equal(Object.getOwnPropertyDescriptor(merged, name)?.value, value);
			}
		},
	),
	target(
		'masked attempts',
		[secrets.withoutSecrets],
		object(['body', 'n8n_webhook_secret']),
		(attempt) => {
			const marked = { ...attempt, inner: { n8n_webhook_secret: 'planted-secret' } };
			const masked = JSON.stringify(secrets.withoutSecrets(marked));
			assert.ok(!masked.includes('planted-secret') && masked.includes(secrets.MASK));
		},
	),
];

function errorOf(message: string): Error {
	return Object.assign(new Error(message), { code: message });
}
