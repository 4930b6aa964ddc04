import { readEnd } from '../../../nodes/VirtualPbx/calls/leg';
import { objectOf } from '../../../nodes/VirtualPbx/events/parse';
import { plainName, unflatten } from '../../../nodes/VirtualPbx/events/payload';
import * as secret from '../../../nodes/VirtualPbx/events/secret';
import { hookOfName } from '../../../nodes/VirtualPbx/events/table';
import * as causes from '../../../nodes/VirtualPbx/values/hangupCause';
import { parseStructure, percentDecoded } from '../../../nodes/VirtualPbx/values/json';
import * as numbers from '../../../nodes/VirtualPbx/values/numbers';
import { crmForms } from '../../../nodes/VirtualPbx/values/phone/country';
import { toE164 } from '../../../nodes/VirtualPbx/values/phone/toE164';
import { numberToUnixMs, readInstant } from '../../../nodes/VirtualPbx/values/time';
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
];
