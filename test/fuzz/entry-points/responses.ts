import * as errors from '../../../nodes/VirtualPbx/pbx/errors/failures';
import * as documents from '../../../nodes/VirtualPbx/pbx/documents';
import { isObject } from '../../../nodes/VirtualPbx/util/json';
import { blankSecrets, withoutSecrets } from '../../../nodes/VirtualPbx/pbx/redact';
import { healthOf } from '../../../nodes/VirtualPbx/pbx/webhooks/health';
import { Webhook } from '../../../nodes/VirtualPbx/pbx/webhooks/webhooks';
import { jsonValues } from '../bodies';
import { entryPoint } from '../growth';

const WEBHOOK = { id: 'one', uri: 'https://n8n.example/webhook/x', hook: 'channel_destroy' };

const ATTEMPT = {
	result: 'failure',
	reason: 'bad response code',
	resp_status_code: '503',
	req_body: 'Call-ID=a&n8n_webhook_secret=b',
	timestamp: 63_962_000_000,
};
const SECRETS = ['p@ss w0rd&', 'ab'.repeat(32)];

/** Reads the PBX's responses: lists, documents, and errors (§2.1, §7). */
export const responseEntryPoints = [
	entryPoint('lists and documents', jsonValues(WEBHOOK), (body) => [
		errors.listIn(body),
		errors.holdsNothing(body),
		documents.documentOf(body),
		documents.idIn(body),
		errors.loginField(errors.unwrap(body), 'auth_token'),
	]),
	entryPoint('delivery attempts', jsonValues(ATTEMPT), (body) => {
		const attempts = [body].flat().filter(isObject);
		return healthOf(new Webhook(WEBHOOK), { attempts, isKnown: true });
	}),
	entryPoint('secrets in attempts', jsonValues(ATTEMPT), (body) => withoutSecrets(body, SECRETS)),
	entryPoint('secrets in errors', jsonValues({ message: 'no' }), (body) =>
		blankSecrets(body, SECRETS),
	),
	entryPoint('errors', jsonValues({ message: 'no', error: '400' }), (body) => {
		const response = { statusCode: 400, headers: {}, body };
		return [
			errors.messageIn(body),
			errors.fieldComplaints(body),
			errors.errorOfResponse(response as never),
			errors.errorOfContent(response as never, true),
		];
	}),
];
