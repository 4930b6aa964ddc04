import assert from 'node:assert/strict';
import fc from 'fast-check';

import * as outcomes from '../../../nodes/VirtualPbx/calls/outcome';
import { labelFile } from '../../../nodes/VirtualPbx/parameters/output';
import * as flow from '../../../nodes/VirtualPbx/pbx/callflows/flow';
import { DIALECTS } from '../../../nodes/VirtualPbx/pbx/dialects';
import { messageIn, fieldComplaints } from '../../../nodes/VirtualPbx/pbx/errors/failures';
import * as secrets from '../../../nodes/VirtualPbx/pbx/redact';
import { deliveryAddress, reachOf } from '../../../nodes/VirtualPbx/triggers/runtime/address';
import { asText, isObject, isStructure, parseStructure } from '../../../nodes/VirtualPbx/util/json';
import * as parties from '../../../nodes/VirtualPbx/util/party';
import * as numbers from '../../../nodes/VirtualPbx/util/phone';
import { readCountry, crmForms, formatNumbers, toE164 } from '../../../nodes/VirtualPbx/util/phone';
import { json, object, corrupted, text, withText } from '../hostile';
import { isJson, target } from '../target';

const WORDS = ['message', 'error', 'errors', 'data', 'detail', 'field'];
const OWN = 'https://n8n.example.com/webhook/an-id/webhook';
const flows = corrupted(
	fc.constant({ module: 'pivot', data: { voice_url: '{dflow}&webserver=x' }, children: {} }),
);

/** Reads fields of responses, records, and parameters. */
export const valueTargets = [
	target('delivery URLs', fc.oneof(text, fc.webUrl(), json()), (given) => {
		const address = deliveryAddress(OWN, given);
		const isPlaced = 'url' in address && address.url.endsWith('/webhook/an-id/webhook');
		assert.ok(isPlaced || ('fault' in address && address.fault !== ''));
	}),
	target('numbers and causes', fc.tuple(text, withText(json())), ([value, list]) => {
		assert.ok(isStructure(parseStructure(value) ?? {}));
		const { number, name } = parties.readParty(value);
		assert.equal(parties.numberOf(value), number);
		assert.notEqual(name, '');
		assert.doesNotMatch(parties.bareNumber(value), /[\s()-]/);
		const match = numbers.readNumberMatch(list);
		if (match) assert.equal(typeof match(value), 'boolean');
		assert.notEqual(numbers.findInvalidNumber(list), '');
		assert.notEqual(asText(list), '');
		assert.equal(typeof outcomes.hangupWords(value), 'string');
		const outcome = outcomes.outcomeOfLeg({ state: 'unanswered', cause: value });
		assert.equal(outcome, outcomes.unansweredKind(value) ?? 'noAnswer');
	}),
	target(
		'telephone numbers',
		fc.tuple(
			fc.oneof(text, fc.stringMatching(/^[+(]?[0-9 ().-]{4,40}$/)),
			fc.oneof(text, fc.stringMatching(/^[A-Z]{2}$/), fc.constantFrom('RU', 'AR', 'AG', 'GB')),
		),
		([number, country]) => {
			const known = toE164(number, country);
			const item = { from: number, to: '100', details: { legs: [{ from: number }, number] } };
			const code = readCountry(country);
			const shown = code === undefined ? undefined : toE164(number, code);
			assert.deepEqual(formatNumbers(item, code).from, shown ?? number);
			const forms = crmForms(number, country);
			assert.equal(new Set(forms).size, forms.length);
			for (const form of forms) assert.match(form, /^\+?\d+$/);
			if (known === undefined) return;
			assert.equal(forms[0], known);
			assert.match(known, /^\+[1-9]\d{5,18}$/);
			assert.equal(toE164(known, country) ?? known, known);
		},
	),
	target(
		'names of recordings',
		fc.tuple(
			text,
			text,
			fc.record({
				'content-type': text,
			}),
		),
		([address, file, headers]) => {
			const { fileName } = labelFile({ headers, address, start: Buffer.from(file) }, file);
			const characters = [...fileName];
			assert.ok(
				characters.every(
					(character) => character > '\u001f' && character !== '/' && character !== '\\',
				),
			);
			assert.ok(fileName !== '');
		},
	),
	target(
		'known secrets',
		fc.tuple(json(), object(['body', 'n8n_webhook_secret']), fc.stringMatching(/^[0-9a-f]{64}$/)),
		([body, attempt, secret]) => {
			const leaking = { message: `no ${secret}`, [secret]: [body, encodeURIComponent(secret)] };
			assert.ok(!JSON.stringify(secrets.blankSecrets(leaking, [secret])).includes(secret));
			const words = `${JSON.stringify(body)}${secret.slice(3)}`;
			for (const known of [[], [secret]])
				assert.ok(!secrets.blankSecrets(words, known).includes(secret.slice(3)));
			const tagged = { ...attempt, inner: { n8n_webhook_secret: secret } };
			assert.ok(!JSON.stringify(secrets.withoutSecrets(tagged, [])).includes(secret));
		},
	),
	target('messages in responses', json(WORDS), (body) => {
		const words = messageIn(body);
		assert.ok(words === undefined || (words.length <= 301 && !words.includes('\n')));
		for (const one of fieldComplaints(body)) assert.ok(one.field !== '');
	}),
	target(
		'addresses',
		fc.oneof(
			text,
			text.map((host) => `https://${host}`),
			fc.webUrl(),
		),
		(address) => {
			const read = flow.webserverOf(address);
			if ('fault' in read) return assert.ok(read.fault !== '');
			const pivot = { ...read, method: 'GET', timeout: '5', format: 'pbx' };
			assert.match(
				String(flow.pivotData(DIALECTS.contract, pivot, 'id').voice_url),
				/^\{dflow\}&callflow_id=id&webserver=/,
			);
			const url = String(flow.pivotData(DIALECTS.kazoo, pivot, 'id').voice_url);
			assert.equal(new URL(url).searchParams.get('callflow_id'), 'id');
			const again = flow.webserverOf(flow.serviceOf(DIALECTS.kazoo, pivot));
			assert.deepEqual(again, read, 'The address changes when read again');
			const reach = reachOf(new URL(`https://${read.webserver}`).hostname);
			assert.match(reach, /^(local|private|public)$/);
		},
	),
	target('callflows', fc.oneof(flows, json(['module', 'data', 'children'])), (value) => {
		assert.notEqual(flow.flowFault(value), '');
		const rooted = flow.withPivotRoot(value, { method: 'GET' });
		assert.equal(rooted.module, 'pivot');
		isJson(rooted);
		if (flow.flowFault(value) !== undefined || !isObject(value)) return;
		const complete = flow.completeFlow(value);
		assert.deepEqual(flow.completeFlow(complete), complete);
	}),
];
