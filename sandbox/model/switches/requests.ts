import { Type } from '@sinclair/typebox';
import { choice, count, flag } from './kinds';

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
	error_body: choice(
		['plain', 'full'],
		'plain',
		'with `full`, errors repeat the token of the request and have an `error_message`',
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
	extra_fields: choice(
		['drop', 'keep'],
		'drop',
		'whether to drop or keep fields of callflows and webhooks that §2 does not list (`owner_id`, `flags`)',
	),
	click_to_call: flag(
		false,
		'whether there are devices, and calls from them, which the contract doesn’t have: GET `devices`, `devices/{id}`, and `devices/{id}/quickcall/{number}` of an account',
	),
	page_size: count(0, 'entries per page of a list, with `next_start_key`; 0 for whole lists'),
};
