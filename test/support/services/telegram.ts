import { Refused, Service, wrongField } from './service';

/** A message as Telegram stores it. */
export interface TelegramMessage {
	chat_id: string;
	text: string;
	parse_mode?: string;
}

/** The documented fields of `sendMessage` that the kit uses. */
const FIELDS = ['chat_id', 'text', 'parse_mode', 'disable_web_page_preview'];

/** The HTML that Telegram documents. */
const TAGS = /<\/?(b|strong|i|em|u|s|code|pre|blockquote)>|<a href="[^"]*">|<\/a>/g;

/** Simulates Telegram's documented Bot API, as far as the kit uses it. */
export class Telegram extends Service {
	/** The bot's token, which is part of the address. */
	token = '123456:telegram-token';
	readonly chat = '-1001234567890';
	readonly messages: TelegramMessage[] = [];

	constructor() {
		super(['api.telegram.org'], () => true);
		this.app.post('/bot:token/sendMessage', ({ params, body }) => {
			if ((params as { token: string }).token !== this.token) throw refused(401, 'Unauthorized');
			const message = this.check(body as TelegramMessage);
			this.messages.push(message);
			const date = Math.floor(Date.now() / 1000);
			return { ok: true, result: { message_id: this.messages.length, date, text: message.text } };
		});
	}

	private check(message: TelegramMessage): TelegramMessage {
		const unknown = wrongField(message, { any: FIELDS });
		if (unknown) throw refused(400, `Bad Request: unknown field ${unknown}`);
		const { chat_id, text, parse_mode } = message;
		if (chat_id !== this.chat) throw refused(400, 'Bad Request: chat not found');
		if (!text) throw refused(400, 'Bad Request: message text is empty');
		if (text.length > 4096) throw refused(400, 'Bad Request: message is too long');
		if (parse_mode === 'HTML' && /[<>]|&(?!(lt|gt|amp|quot);)/.test(text.replace(TAGS, '')))
			throw refused(400, "Bad Request: can't parse entities");
		return message;
	}
}

function refused(error_code: number, description: string): Refused {
	return new Refused(error_code, { ok: false, error_code, description });
}
