import { Type } from '@sinclair/typebox';
import { choice, count, flag, seconds } from './kinds';

/** Switches of what the PBX takes and answers (§2.1, §4, §5, §7). */
export const REQUESTS = {
	profile: choice(
		['contract', 'field'],
		'contract',
		'sets the defaults of the other settings: what the contract says, or what live services do',
	),
	platform: Type.String({
		pattern: '^[a-z0-9_-]+$',
		default: 'pbx',
		description: 'path segment after `/v1/`',
	}),
	token_lifetime_seconds: seconds(3600, 'age from which a token gets a 401'),
	sessions_per_login: count(
		0,
		'valid tokens per login; another login ends the oldest one; 0 for any number',
	),
	token_refusal: choice(
		['401', '403', 'message'],
		'401',
		'answer to an unknown or expired token: that status, or 400 with the `error_message` `invalid_credentials`',
	),
	error_body: choice(
		['plain', 'full'],
		'plain',
		'with `full`, errors repeat the token of the request and have an `error_message`',
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
		'`filter_numbers` finds callflows that have the number, that have only that number, or has no effect',
	),
	creation_path: choice(
		['both', 'login', 'account'],
		'both',
		'path for creating callflows (§4.2 note 2): both, only `/callflows`, or only `/accounts/{account_id}/callflows`',
	),
	extra_fields: choice(
		['drop', 'keep'],
		'drop',
		'whether to drop or keep fields of callflows and webhooks that §2 does not list (`owner_id`, `flags`)',
	),
	post_fields: choice(
		['any', 'listed'],
		'any',
		'with `listed`, a POST gets a 400 without a field name if it has a field that its row of §4.2 or §4.4 does not list (including `custom_data`)',
	),
	click_to_call: flag(
		false,
		'whether there are devices, and calls from them, which the contract doesn’t have: GET `devices`, `devices/{id}`, and `devices/{id}/quickcall/{number}` of an account',
	),
	page_size: count(0, 'entries per page of a list, with `next_start_key`; 0 for whole lists'),
};
