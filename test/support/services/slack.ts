import { hasToken, Refused, Service } from './service';

interface SlackMessage {
	channel: string;
	text: string;
}

/** Simulates Slack's documented Web API, as far as the kit uses it. Errors have status 200. */
export class Slack extends Service {
	override readonly official = 'slack';
	token = 'xoxb-slack-token';
	readonly messages: SlackMessage[] = [];

	constructor() {
		super(['slack.com'], () => true);
		this.on<SlackMessage>('POST', '/api/chat.postMessage', (request) => {
			const { channel, text } = request.body;
			if (!hasToken(request, this.token)) throw refused('invalid_auth');
			if (channel !== '#missed-calls') throw refused('channel_not_found');
			if (!text) throw refused('no_text');
			if (text.length > 40_000) throw refused('msg_too_long');
			const plain = text.replace(/<tel:[+\d]+\|[+\d]+>/g, '');
			if (/[<>]|&(?!(lt|gt|amp);)/.test(plain)) throw refused('invalid_arguments');
			this.messages.push({ channel, text });
			const ts = `${Date.now() / 1000}`;
			return { ok: true, channel: 'C0123456789', ts, message: { type: 'message', text, ts } };
		});
	}
}

const refused = (error: string) => new Refused(200, { ok: false, error });
