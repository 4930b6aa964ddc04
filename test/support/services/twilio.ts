import { hasLogin, Refused, Service, wrongField } from './service';

/** The documented parameters of the resource Message that n8n's node sends. */
const FIELDS = ['From', 'To', 'Body', 'StatusCallback'];

/** A phone number as Twilio wants it, or one on WhatsApp. */
const E164 = /^(whatsapp:)?\+[1-9]\d{6,14}$/;

/** Simulates Twilio's documented resource Message, as far as the example uses it. */
export class Twilio extends Service {
	readonly login = { accountSid: `AC${'1'.repeat(32)}`, authToken: 'twilio-token' };
	readonly messages: Array<Record<'From' | 'To' | 'Body', string>> = [];
	/** Numbers that replied STOP: Twilio refuses texts to them. */
	readonly unsubscribed = new Set<string>();

	constructor() {
		super(['api.twilio.com'], (request) =>
			hasLogin(request, this.login.accountSid, this.login.authToken),
		);
		this.on<Buffer>('POST', '/2010-04-01/Accounts/:sid/Messages.json', ({ params, body }) => {
			if (params.sid !== this.login.accountSid)
				throw refused(20404, 'The requested resource was not found', 404);
			const message = Object.fromEntries(new URLSearchParams(String(body)));
			const wrong = wrongField(message, { any: FIELDS }, ['From', 'To', 'Body']);
			if (wrong) throw refused(21604, `Parameter ${wrong} is missing or unknown`);
			const { From = '', To = '', Body = '' } = message;
			if (!E164.test(From)) throw refused(21212, `Invalid From Number: ${From}`);
			if (!E164.test(To)) throw refused(21211, `Invalid 'To' Phone Number: ${To}`);
			if (Body.length > 1600) throw refused(21617, 'The message body exceeds 1600 characters');
			if (this.unsubscribed.has(To))
				throw refused(21610, 'Attempt to send to unsubscribed recipient');
			this.messages.push({ From, To, Body });
			const sid = `SM${String(this.messages.length).padStart(32, '0')}`;
			return { sid, status: 'queued', from: From, to: To, body: Body };
		});
	}
}

function refused(code: number, message: string, status = 400): Refused {
	const more_info = `https://www.twilio.com/docs/errors/${code}`;
	return new Refused(status, { code, message, more_info, status });
}
