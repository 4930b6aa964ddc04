import { bearerOf, Refused, Service } from './service';

/** A message as Slack stores it. */
export interface SlackMessage {
	channel: string;
	text: string;
	includeLinkToWorkflow?: boolean;
}

/** Simulates Slack's documented Web API, as far as the kit uses it. Errors have status 200. */
export class Slack extends Service {
	override readonly official = 'slack';
	/** The bot's token. */
	token = 'xoxb-slack-token';
	readonly channel = '#missed-calls';
	readonly messages: SlackMessage[] = [];

	constructor() {
		super(['slack.com'], () => true);
		this.app.post('/api/chat.postMessage', (request) => {
			if (bearerOf(request) !== this.token) throw refused('invalid_auth');
			const message = this.check(request.body as SlackMessage);
			this.messages.push(message);
			const ts = `${Date.now() / 1000}`;
			const shown = { type: 'message', text: message.text, ts };
			return { ok: true, channel: 'C0123456789', ts, message: shown };
		});
	}

	private check(message: SlackMessage): SlackMessage {
		// n8n also sends its own option, which Slack doesn't know and ignores.
		const { channel, text, includeLinkToWorkflow: _, ...more } = message;
		if (Object.keys(more).length > 0) throw refused('invalid_arguments');
		if (channel !== this.channel) throw refused('channel_not_found');
		if (!text) throw refused('no_text');
		if (text.length > 40_000) throw refused('msg_too_long');
		const plain = text.replace(/<tel:[+\d]+\|[+\d]+>/g, '');
		if (/[<>]|&(?!(lt|gt|amp);)/.test(plain)) throw refused('invalid_arguments');
		return message;
	}
}

const refused = (error: string) => new Refused(200, { ok: false, error });
