import { Refused, Service, wrongField } from './service';

interface TelegramMessage {
	chat_id: string;
	text: string;
	parse_mode?: string;
}

/** The documented fields of `sendMessage` that the kit uses. */
const FIELDS = ['chat_id', 'text', 'parse_mode', 'disable_web_page_preview'];

/** The HTML that Telegram documents. */
const TAGS = /<\/?(b|strong|i|em|u|s|code|pre|blockquote)>|<a href="[^"]*">|<\/a>/g;

/** The bot's token, which is part of the address. */
const TOKEN = '123456:telegram-token';

/** Simulates Telegram's documented Bot API, as far as the kit uses it. */
export class Telegram extends Service {
	readonly token = TOKEN;
	readonly messages: TelegramMessage[] = [];

	constructor() {
		super(['api.telegram.org'], ({ params }) => (params as { token?: string }).token === TOKEN);
		this.on<TelegramMessage>('POST', '/bot:token/sendMessage', ({ body }) => {
			const unknown = wrongField(body, { any: FIELDS });
			if (unknown) throw refused(`unknown field ${unknown}`);
			const { chat_id, text, parse_mode } = body;
			if (chat_id !== '-1001234567890') throw refused('chat not found');
			if (!text) throw refused('message text is empty');
			if (text.length > 4096) throw refused('message is too long');
			if (parse_mode === 'HTML' && /[<>]|&(?!(lt|gt|amp|quot);)/.test(text.replace(TAGS, '')))
				throw refused("can't parse entities");
			this.messages.push(body);
			return { ok: true, result: { message_id: this.messages.length, date: 1, text } };
		});
	}
}

function refused(words: string): Refused {
	return new Refused(400, { ok: false, error_code: 400, description: `Bad Request: ${words}` });
}
