import { pick } from '../../../nodes/VirtualPbx/auth/login';
import * as failures from '../../../nodes/VirtualPbx/transport/failure';
import { JsonParser } from '../../../nodes/VirtualPbx/transport/body';
import * as documents from '../../../nodes/VirtualPbx/transport/documents';
import * as envelope from '../../../nodes/VirtualPbx/values/envelope';
import { jsonTexts, jsonValues } from '../bodies';
import { door } from '../growth';

const WEBHOOK = { id: 'one', uri: 'https://n8n.example/webhook/x', hook: 'channel_destroy' };

/** As network pieces come. */
const inPieces = (text: string) => {
	const parser = new JsonParser();
	for (let at = 0; at < text.length; at += 16_384) parser.feed(text.slice(at, at + 16_384));
	try {
		return parser.end();
	} catch (error) {
		return error;
	}
};

/** What answers of a PBX meet: lists, documents, and errors (§2.1, §7). */
export const answerDoors = [
	door('answers in pieces', jsonTexts(WEBHOOK), inPieces),
	door('lists and documents', jsonValues(WEBHOOK), (body) => [
		envelope.listIn(body),
		envelope.holdsNothing(body),
		documents.documentOf(body),
		documents.createdId(body),
		pick(envelope.unwrap(body), 'auth_token'),
	]),
	door('errors', jsonValues({ message: 'no', error: '400' }), (body) => {
		const answer = { statusCode: 400, headers: {}, body };
		return [
			envelope.answerMessage(body),
			envelope.fieldComplaints(body),
			failures.failureOfAnswer(answer as never),
			failures.failureOfContent(answer as never, true),
		];
	}),
];
