import * as causes from '../../../nodes/VirtualPbx/calls/outcome';
import { labelFile } from '../../../nodes/VirtualPbx/parameters/output';
import { webserverOf } from '../../../nodes/VirtualPbx/pbx/callflows/flow';
import {
	errorOfResponse,
	messageIn,
	fieldComplaints,
} from '../../../nodes/VirtualPbx/pbx/errors/failures';
import { objectOf, plainName, unflatten } from '../../../nodes/VirtualPbx/pbx/events/delivery';
import * as secret from '../../../nodes/VirtualPbx/pbx/events/delivery';
import { hookOfName } from '../../../nodes/VirtualPbx/pbx/events/table';
import { checkAnswer } from '../../../nodes/VirtualPbx/pbx/pivot/answer';
import { simplifyRequest } from '../../../nodes/VirtualPbx/pbx/pivot/request';
import * as masks from '../../../nodes/VirtualPbx/pbx/redact';
import { Webhook } from '../../../nodes/VirtualPbx/pbx/webhooks/webhooks';
import { parseStructure, percentDecoded } from '../../../nodes/VirtualPbx/util/json';
import * as party from '../../../nodes/VirtualPbx/util/party';
import * as numbers from '../../../nodes/VirtualPbx/util/phone';
import { crmForms, toE164 } from '../../../nodes/VirtualPbx/util/phone';
import { readInstant, numberToUnixMs } from '../../../nodes/VirtualPbx/util/time';
import { endedTexts, longTexts } from '../bodies';
import { textEntryPoint } from '../growth';

const SECRETS = ['p@ss w0rd&', 'ab'.repeat(32)];

/** Both kinds: a text that doesn't end like a number is rejected early. */
const allTexts = { ...longTexts, ...endedTexts };

/** Reads single external texts, with every pattern. */
export const textEntryPoints = [
	textEntryPoint('names and values of events', endedTexts, (text) => [
		[plainName(text), hookOfName(text), unflatten([[text, text]]), objectOf(text)],
		[secret.findTagTexts({ [text]: text }), secret.withoutTag({ [text]: text })],
		[parseStructure(text), percentDecoded(text), numberToUnixMs(text), readInstant(text, 'UTC')],
		[causes.causeCode(text), causes.hangupWords(text)],
	]),
	textEntryPoint('numbers', allTexts, (text) => [
		[party.readEnd(text), party.bareNumber(text), party.readCaller(text)],
		[toE164(text, 'RU'), crmForms(text, undefined), crmForms(text, 'RU')],
	]),
	textEntryPoint('lists of numbers in filters', allTexts, (text) => [
		numbers.readNumberMatch(text, 'RU'),
		numbers.findInvalidNumber(text),
	]),
	textEntryPoint('masks of secrets', endedTexts, (text) => masks.withoutSecrets(text, SECRETS)),
	textEntryPoint('masks of known secrets', endedTexts, (text) => masks.blankSecrets(text, SECRETS)),
	textEntryPoint('masks of names', endedTexts, (text) =>
		masks.withoutSecrets({ [text]: 1 }, SECRETS),
	),
	textEntryPoint('routing requests and answers of one text', endedTexts, (text) => [
		simplifyRequest({ method: 'POST', query: { from: text, to: text }, body: text }),
		checkAnswer(text),
		checkAnswer({ type: 'extension', extension: text, timeout: text }),
	]),
	textEntryPoint('error messages', endedTexts, (text) => [
		[messageIn(text), messageIn({ message: text }), fieldComplaints({ data: { a: { b: text } } })],
		[errorOfResponse({ statusCode: 429, headers: { 'retry-after': text }, body: { a: text } })],
	]),
	textEntryPoint('addresses and file names', endedTexts, (text) => [
		[webserverOf(text), new Webhook({ uri: text }).calls('https://n8n.example/webhook/x')],
		new Webhook({ name: text }).workflow,
		labelFile({ headers: { 'content-type': text }, address: text, start: Buffer.from(text) }, text),
	]),
];
