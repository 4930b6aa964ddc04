import { Type } from '@sinclair/typebox';
import { choice, count, seconds } from './kinds';

/** Switches of what the PBX takes and answers (§2.1, §4, §5, §7). */
export const REQUESTS = {
	profile: choice(
		['contract', 'field'],
		'contract',
		'gives the other settings their defaults: a kind PBX, or what live services do',
	),
	platform: Type.String({
		pattern: '^[a-z0-9_-]+$',
		default: 'pbx',
		description: 'path segment after `/v1/`',
	}),
	token_lifetime_seconds: seconds(3600, 'a token older than this is answered with 401'),
	sessions_per_login: count(
		0,
		'tokens of one login that are good at once: a further login ends the oldest; 0 for any number',
	),
	token_refusal: choice(
		['401', '403', 'message'],
		'401',
		'answer to a token that is unknown or has ended: that status, or 400 with the `error_message` `invalid_credentials`',
	),
	error_body: choice(
		['plain', 'full'],
		'plain',
		'`full` refusals repeat the token that was sent, a refused one too, and have an `error_message`',
	),
	foreign_account: choice(
		['404', '403'],
		'404',
		'answer to a path with the account of another login',
	),
	webhook_list: choice(
		['full', 'without_uri', 'brief'],
		'full',
		'items of the webhook list: whole, without `uri`, or only id, name, hook, uri and enabled',
	),
	filter_numbers: choice(
		['any', 'sole', 'ignored'],
		'any',
		'`filter_numbers` finds callflows with the number among others, with only that number, or has no effect',
	),
	creation_path: choice(
		['both', 'login', 'account'],
		'both',
		'where callflows are created (§4.2 note 2): both paths, only `/callflows`, or only `/accounts/{account_id}/callflows`',
	),
	extra_fields: choice(
		['drop', 'keep'],
		'drop',
		'fields of callflows and webhooks that §2 does not list (`owner_id`, `flags`) are dropped, or kept and shown',
	),
	post_fields: choice(
		['any', 'listed'],
		'any',
		'`listed` refuses a POST with a field that its row of §4.2 or §4.4 does not list (`custom_data` too) with a 400 that names none',
	),
	page_size: count(0, 'lists are cut into pages with `next_start_key`; 0 gives whole lists'),
};
