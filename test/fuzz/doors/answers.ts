import type { IDataObject } from 'n8n-workflow';

import { pick } from '../../../nodes/VirtualPbx/auth/login';
import * as failures from '../../../nodes/VirtualPbx/transport/failure';
import { JsonParser } from '../../../nodes/VirtualPbx/transport/body';
import * as documents from '../../../nodes/VirtualPbx/transport/documents';
import * as envelope from '../../../nodes/VirtualPbx/values/envelope';
import * as secrets from '../../../nodes/VirtualPbx/values/secrets';
import { summarize } from '../../../nodes/VirtualPbx/webhooks/attempts';
import { healthOf } from '../../../nodes/VirtualPbx/webhooks/health';
import { jsonTexts, jsonValues } from '../bodies';
import { door } from '../growth';

const WEBHOOK = { id: 'one', uri: 'https://n8n.example/webhook/x', hook: 'channel_destroy' };
const ATTEMPT = { result: 'failure', reason: 'bad response code', req_body: '{"a":1}' };
const SECRETS = ['planted-secret', 'ab'.repeat(32)];

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

const objectsIn = (body: unknown) =>
	[body, envelope.listIn(body)]
		.flat()
		.filter(
			(one): one is IDataObject => typeof one === 'object' && one !== null && !Array.isArray(one),
		);

/** What answers of a PBX meet: lists, documents, attempts, and errors (§2.1, §4.4, §7). */
export const answerDoors = [
	door('answers in pieces', jsonTexts(WEBHOOK), inPieces),
	door('lists and documents', jsonValues(WEBHOOK), (body) => [
		envelope.listIn(body),
		envelope.holdsNothing(body),
		documents.documentOf(body),
		documents.createdId(body),
		pick(envelope.unwrap(body), 'auth_token'),
	]),
	door('delivery attempts', jsonValues(ATTEMPT), (body) => {
		const attempts = objectsIn(body);
		return [summarize(attempts), healthOf(WEBHOOK, { attempts, isKnown: true })];
	}),
	door('errors', jsonValues({ message: 'no', error: '400' }), (body) => {
		const answer = { statusCode: 400, headers: {}, body };
		return [
			envelope.answerMessage(body),
			envelope.fieldComplaints(body),
			failures.failureOfAnswer(answer as never),
			failures.failureOfContent(answer as never, true),
		];
	}),
	door('known secrets', jsonValues(ATTEMPT), (body) => secrets.blankSecrets(body, SECRETS)),
];
