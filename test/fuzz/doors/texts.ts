import { readEnd } from '../../../nodes/VirtualPbx/calls/leg';
import { objectOf } from '../../../nodes/VirtualPbx/events/parse';
import { plainName, unflatten } from '../../../nodes/VirtualPbx/events/payload';
import * as secret from '../../../nodes/VirtualPbx/events/secret';
import { hookOfName } from '../../../nodes/VirtualPbx/events/table';
import { checkAnswer } from '../../../nodes/VirtualPbx/pivot/answer';
import { webserverOf } from '../../../nodes/VirtualPbx/pivot/module';
import { simplifyRequest } from '../../../nodes/VirtualPbx/pivot/request';
import { labelFile } from '../../../nodes/VirtualPbx/transport/download';
import { failureOfGarbage, readRetryAfter } from '../../../nodes/VirtualPbx/transport/failure';
import { answerMessage, fieldComplaints } from '../../../nodes/VirtualPbx/values/envelope';
import * as causes from '../../../nodes/VirtualPbx/values/hangupCause';
import { parseStructure, percentDecoded } from '../../../nodes/VirtualPbx/values/json';
import * as numbers from '../../../nodes/VirtualPbx/values/numbers';
import { crmForms } from '../../../nodes/VirtualPbx/values/phone/country';
import { toE164 } from '../../../nodes/VirtualPbx/values/phone/toE164';
import { numberToUnixMs, readInstant } from '../../../nodes/VirtualPbx/values/time';
import { isSameAddress } from '../../../nodes/VirtualPbx/webhooks/list';
import { workflowIn } from '../../../nodes/VirtualPbx/webhooks/health';
import { longTexts } from '../bodies';
import { textDoor } from '../growth';

/** What single texts from outside meet: every pattern that reads them. */
export const textDoors = [
	textDoor('names and values of events', longTexts, (text) => [
		[plainName(text), hookOfName(text), unflatten([[text, text]]), objectOf(text)],
		[secret.isSecretKey(text), secret.findMarkTexts(text), secret.withoutSecret({ [text]: text })],
		[parseStructure(text), percentDecoded(text), numberToUnixMs(text), readInstant(text, 'UTC')],
		[causes.causeCode(text), causes.hangupWords(text)],
	]),
	textDoor('numbers', longTexts, (text) => [
		[readEnd(text), numbers.bareNumber(text), numbers.areExtensions(text)],
		[toE164(text, 'RU'), crmForms(text, undefined), crmForms(text, 'RU')],
	]),
	textDoor('routing requests and answers of one text', longTexts, (text) => [
		simplifyRequest({ method: 'POST', query: { from: text, to: text }, body: text }),
		checkAnswer(text),
		checkAnswer({ type: 'extension', extension: text, timeout: text }),
	]),
	textDoor('words of errors', longTexts, (text) => [
		[
			answerMessage(text),
			answerMessage({ message: text }),
			fieldComplaints({ errors: { a: text } }),
		],
		[failureOfGarbage(text), readRetryAfter(text)],
	]),
	textDoor('addresses and file names', longTexts, (text) => [
		[webserverOf(text), isSameAddress(text, 'https://n8n.example/webhook/x'), workflowIn(text)],
		labelFile({ 'content-type': text, 'content-disposition': text }, text, text),
	]),
];
