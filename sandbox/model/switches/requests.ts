import { Type } from '@sinclair/typebox';
import { choice, count, flag } from './kinds';

/** Settings of what the PBX accepts and returns (§2.1, §4, §5, §7). */
export const REQUESTS = {
	profile: choice(
		['contract', 'field', 'kazoo'],
		'contract',
		'sets the defaults of the other settings: what the contract says, what live services do, or what a stock Kazoo does',
	),
	platform: Type.String({
		pattern: '^[a-z0-9_-]+$',
		default: 'pbx',
		description: 'path segment after `/v1/`',
	}),
	answers: choice(
		['contract', 'kazoo'],
		'contract',
		'address, login, and response bodies: as in §2, or also as in a stock Kazoo: `/v2`, the login with a hash, its envelope and errors, defaults of its schemas in the data of modules, `metadata` of a callflow, and `modules` and `flags` in lists',
	),
	checks: choice(
		['contract', 'kazoo'],
		'contract',
		'with `kazoo`, callflows are created only inside an account, `req_format` is `kazoo` or `twiml`, webhooks have at most 4 `retries`, text in `custom_data`, and `post` or `get`, `hook` can be `all`, and `page_size=0` of CDRs is a 404',
	),
	numbers: choice(
		['as_sent', 'plus'],
		'as_sent',
		'how to store the numbers of callflows: as sent, or with `+` before 8 digits or more',
	),
	voice_urls: choice(
		['dflow', 'http'],
		'dflow',
		'form of `voice_url` (§2.2): `{dflow}&...`, or an address',
	),
	local_addresses: choice(
		['accept', 'refuse'],
		'accept',
		'whether webhooks and pivots can use `127.0.0.1` or `localhost`',
	),
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
		'whether there are users and devices, and calls from them, which the contract doesn’t have: GET `users`, `devices`, one of them by ID, and its `quickcall/{number}`, which a stock Kazoo also has as POST',
	),
	page_size: count(0, 'entries per page of a list, with `next_start_key`; 0 for whole lists'),
};
