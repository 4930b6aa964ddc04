import { parse } from 'node:querystring';
import { Refused, Service, wrongField } from './service';

/** A message as Twilio stores it. */
export interface TwilioMessage {
	From: string;
	To: string;
	Body: string;
}

/** The documented parameters of the resource Message that n8n's node sends. */
const FIELDS = ['From', 'To', 'Body', 'StatusCallback'];

/** A phone number as Twilio wants it, or one on WhatsApp. */
const E164 = /^(whatsapp:)?\+[1-9]\d{6,14}$/;

/** Simulates Twilio's documented resource Message, as far as the example uses it. */
export class Twilio extends Service {
	readonly login = { accountSid: `AC${'1'.repeat(32)}`, authToken: 'twilio-token' };
	readonly messages: TwilioMessage[] = [];
	/** Numbers that replied STOP: Twilio refuses texts to them. */
	readonly unsubscribed = new Set<string>();

	constructor() {
		super(['api.twilio.com'], ({ headers }) => {
			const { accountSid, authToken } = this.login;
			const login = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
			return headers.authorization === `Basic ${login}`;
		});
		const form = 'application/x-www-form-urlencoded';
		this.app.addContentTypeParser(form, { parseAs: 'string' }, (_, body, done) =>
			done(null, parse(String(body))),
		);
		this.app.post('/2010-04-01/Accounts/:sid/Messages.json', async ({ params, body }, reply) => {
			if ((params as { sid: string }).sid !== this.login.accountSid)
				throw refused(20404, 'The requested resource was not found', 404);
			const message = this.check(body as TwilioMessage);
			this.messages.push(message);
			const { From: from, To: to, Body: text } = message;
			const sid = `SM${String(this.messages.length).padStart(32, '0')}`;
			return await reply.code(201).send({ sid, status: 'queued', from, to, body: text });
		});
	}

	private check(message: TwilioMessage): TwilioMessage {
		const wrong = wrongField(message, { any: FIELDS }, ['From', 'To', 'Body']);
		if (wrong) throw refused(21604, `Parameter ${wrong} is missing or unknown`);
		if (!E164.test(message.From)) throw refused(21212, `Invalid From Number: ${message.From}`);
		if (!E164.test(message.To)) throw refused(21211, `Invalid 'To' Phone Number: ${message.To}`);
		if (message.Body.length > 1600)
			throw refused(21617, 'The message body exceeds 1600 characters');
		if (this.unsubscribed.has(message.To))
			throw refused(21610, 'Attempt to send to unsubscribed recipient');
		return message;
	}
}

function refused(code: number, message: string, status = 400): Refused {
	const more_info = `https://www.twilio.com/docs/errors/${code}`;
	return new Refused(status, { code, message, more_info, status });
}
