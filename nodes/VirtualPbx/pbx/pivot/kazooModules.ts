import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../util/json';

/*
 * The `data` that Kazoo 5.0 accepts for each callflow module. It checks a routing answer only after it has taken the
 * call over, so after a wrong one the caller hears nothing until they hang up (interface.md §10).
 *
 * Notation: `name:type`, and `name!:type` for a required field. Types are `text`, `text1..128` for its length, `id` (text
 * that isn't empty), `int`, `1..100`, `bool`, `object`, `{fields}` by the name in SHAPES, `[type]` for a list, `a|b` for a
 * choice of words, and `bool/text` for either. Kazoo ignores other fields.
 */

const RINGING =
	'can_call_self:bool can_text_self:bool custom_sip_headers:object delay:int static_invite:text suppress_clid:bool timeout:int';
const APPROVED = 'approved_device_id:text approved_group_id:text approved_user_id:text';
const CONFERENCE =
	'config:object id:text32..32 moderator:bool play_entry_tone:bool/text play_exit_tone:bool/text welcome_prompt:{prompt}';
const OFFNET =
	'bypass_e164:bool caller_id_type:text custom_sip_headers:object do_not_normalize:bool dynamic_flags:[text] emit_account_id:bool format_from_uri:bool from_uri_realm:text hunt_account_id:text ignore_early_media:bool outbound_flags:[text] resource_type:text ringback:text timeout:int to_did:text use_local_resources:bool';
const RECORDING = 'format:mp3|wav method:put|post time_limit:5..10800 url:web';
const DIGIT = '1|2|3|4|5|6|7|8|9|0|#|*';

const SHAPES: Readonly<Record<string, string>> = {
	callerId: 'name:text number:text',
	endpoint: 'endpoint_type!:device|user|group id!:text1..128 delay:int timeout:int weight:1..100',
	external: 'external:{callerId}',
	fax: 'fax_option:bool/auto|true|false',
	macro:
		'macro!:play|prompt|say|tts|tone answer:bool duration_off:int duration_on:int endless_playback:bool frequencies:[int] id:text language:text loop_count:1.. method:none|pronounced|iterated|counted repeat:int terminators:[text] text:text voice:text volume:int',
	prompt: 'media_id:text play:bool',
	recipient: 'id!:text/[text] type!:user|email',
	ringtones: 'external:text internal:text',
};

const MODULES: Readonly<Record<string, string>> = {
	acdc_agent:
		'action:login|logout|paused|resume presence_id:text presence_state:early|confirmed|terminated|red_flash|red_solid|green timeout:int',
	acdc_member: 'id:text priority:int',
	acdc_queue: 'action:login|logout id:text',
	acdc_wait_time: 'id:text window:int',
	after_bridge: 'action:park|transfer|hangup data:bool/text',
	answer: '',
	audio_macro: 'language:text macros:[{macro}]+ terminators:[text]',
	branch_bnumber: 'hunt:bool hunt_allow:text hunt_deny:text',
	branch_variable: 'scope:account|custom_channel_vars|device|merged|user variable!:text',
	call_forward: 'action:activate|deactivate|update|toggle|menu',
	call_waiting: 'action:activate|deactivate|toggle scope:device|user',
	callflow: 'id!:id',
	camping_feature: '',
	check_cid: 'caller_id:{external} regex:text use_absolute_mode:bool user_id:text',
	cidlistmatch: 'id:text',
	collect_dtmf: `collection_name:text interdigit_timeout:1.. max_digits:1.. terminator:${DIGIT} terminators:[${DIGIT}] timeout:1..`,
	conference: CONFERENCE,
	conference_feature: CONFERENCE,
	dead_air: '',
	device: `id!:id dial_strategy:simultaneous|single ${RINGING}`,
	directory: 'id:text',
	disa: 'enforce_call_restriction:bool interdigit:int max_digits:int pin:text preconnect_audio:dialtone|ringing retries:int ring_repeat_count:int use_account_caller_id:bool',
	do_not_disturb: 'action:activate|deactivate|toggle id:text',
	dynamic_cid:
		'action:list|lists|manual|static caller_id:{callerId} enforce_call_restriction:bool id:text idx_name:text interdigit_timeout:int max_digits:int media_id:text min_digits:int permit_custom_callflow:bool whitelist_regex:text',
	eavesdrop: `device_id:text user_id:text ${APPROVED}`,
	eavesdrop_feature: `group_id:text ${APPROVED}`,
	edr: '',
	fax_detect: 'duration:int',
	faxbox: 'faxbox_id:text id:text media:{fax}',
	flush_dtmf: 'collection_name:text',
	function: 'id:text',
	group:
		'endpoints:[text] fail_on_single_reject:bool id:text ignore_forward:bool repeats:int ringback:text ringtones:{ringtones} strategy:single|simultaneous timeout:int',
	group_pickup: `device_id:text group_id:text user_id:text ${APPROVED}`,
	group_pickup_feature: `device_id:text group_id:text type!:group|user|device|extension user_id:text ${APPROVED}`,
	hangup: '',
	hotdesk: 'action:logout|login|toggle|bridge id:text interdigit_timeout:int',
	intercept: `device_id:text group_id:text user_id:text ${APPROVED}`,
	intercept_feature: `type:user|device|extension ${APPROVED}`,
	intercom: 'barge_calls:bool',
	language: 'language!:language',
	lookupcidname: 'lists!:[text]',
	manual_presence: 'presence_id!:text status:idle|ringing|busy',
	menu: 'id!:id interdigit_timeout:int',
	missed_call_alert: 'recipients!:[{recipient}]',
	move: '',
	nomorobo: 'password:text1..1000 username!:text1..1000',
	noop: '',
	notification:
		'comments:text notification_media:[email|sms] recipients!:[{recipient}] send_at:callflow_exec|channel_destroy template_id:text',
	offnet: OFFNET,
	page_group: 'audio!:one-way|two-way barge_calls:bool endpoints!:[{endpoint}]+ timeout:int',
	park: 'action:direct_park|park|retrieve|auto custom_presence_id:bool default_callback_timeout:int default_presence_type:early|terminated|confirmed default_ringback_timeout:int max_slot_number:int presence_id:text slot:text slots:object',
	pivot:
		'cdr_url:web debug:bool method:get|post|GET|POST req_body_format:form|json req_format:kazoo|twiml req_timeout_ms:..5000 voice_url!:web',
	play: 'id!:id answer:bool endless_playback:bool loop_count:1.. terminators:[text]',
	prepend_cid:
		'action:reset|prepend apply_to:original|current caller_id_name_prefix:text caller_id_number_prefix:text',
	privacy: 'endpoint_strategy:overwrite|merge mode:full|name|number|yes',
	receive_fax: 'media:{fax} owner_id:text',
	record_call: `action!:start|stop label:text media_name:text origin:text record_min_sec:int record_on_answer:bool record_on_bridge:bool record_sample_rate:int should_follow_transfer:bool ${RECORDING}`,
	record_caller: RECORDING,
	resources: OFFNET,
	response: 'code!:int media:text0..2048 message:text',
	ring_group:
		'endpoints!:[{endpoint}]+ fail_on_single_reject:bool ignore_forward:bool repeats:1.. ringback:text ringtones:{ringtones} strategy:simultaneous|single|weighted_random timeout:int',
	ring_group_toggle: 'action!:login|logout callflow_id!:text',
	route_to_cid: `cid_types:[text]+ endpoint_types:[text] ${RINGING}`,
	send_dtmf: 'digits!:text duration_ms:int/text',
	set: '',
	set_alert_info: 'alert_info!:text',
	set_cid: 'caller_id_name:text caller_id_number:text',
	set_variable: 'channel:a|both value:text variable:text',
	set_variables: 'custom_application_vars!:object export:bool',
	skel: '',
	sleep: 'duration:0..86400000 unit:ms|s|m|h',
	temporal_route:
		'action:menu|enable|disable|reset interdigit_timeout:int rule_set:text rules:[text] timezone:text',
	transfer: 'captures:[text] leg:self|bleg target:text transfer_type:attended|blind',
	tts: 'endless_playback:bool engine:flite|google|ispeech|voicefabric language:text terminators:[text] text!:text1..1000 voice:text',
	user: `id!:id fail_on_single_reject:bool strategy:simultaneous|single ${RINGING}`,
	voicemail:
		'action:check|compose callerid_match_login:bool id:text32..32 interdigit_timeout:int max_message_length:int single_mailbox_login:bool',
	wait_for_hangup: '',
	webhook: 'custom_data:object http_verb:post|get retries:int uri:web',
};

/** Returns the first fault of a flow's node, as Kazoo would find it, without its children; undefined if it is valid. */
export function kazooModuleFault({ module, data = {} }: IDataObject): string | undefined {
	const name = String(module);
	if (!Object.hasOwn(MODULES, name)) {
		const meant = name.trim().toLowerCase();
		const advice = Object.hasOwn(MODULES, meant) ? `; write "${meant}"` : '';
		return `Kazoo has no module "${name.slice(0, 64)}"${advice}`;
	}
	const fault = fieldsFault(data as IDataObject, `skip_module:bool ${MODULES[name]}`);
	return fault === undefined ? undefined : `in "data" of the module ${name}, ${fault}`;
}

/** A module can also take its ID from a variable of the call. */
const byVariable = (name: string, data: IDataObject) => name === 'id' && data.var !== undefined;

function fieldsFault(data: IDataObject, notation: string): string | undefined {
	for (const part of notation.split(' ').filter(Boolean)) {
		const [, name = '', required, type = ''] = /^(\w+)(!?):(.+)$/.exec(part) ?? [];
		const value = data[name];
		if (value === undefined) {
			if (required && !byVariable(name, data)) return `"${name}" is missing`;
			continue;
		}
		const expected = expectation(value, type);
		if (expected !== undefined) return `"${name}" must be ${expected}, not ${shown(value)}`;
		const inner = innerFault(value, type);
		if (inner !== undefined) return `in "${name}", ${inner}`;
	}
	return undefined;
}

/** Returns the first fault inside an object, or in the objects of a list. */
function innerFault(value: unknown, type: string): string | undefined {
	const [, shape] = /\{(\w+)\}/.exec(type) ?? [];
	if (shape === undefined) return undefined;
	for (const one of [value].flat())
		if (isObject(one)) {
			const fault = fieldsFault(one, SHAPES[shape] ?? '');
			if (fault !== undefined) return fault;
		}
	return undefined;
}

/** Each named type: what it must be, and whether a value is. */
const TYPES: Readonly<Record<string, [string, (value: unknown) => boolean]>> = {
	text: ['text', (value) => typeof value === 'string'],
	id: ["text that isn't empty", (value) => typeof value === 'string' && value !== ''],
	int: ['a whole number', (value) => Number.isSafeInteger(value)],
	bool: ['true or false', (value) => typeof value === 'boolean'],
	object: ['an object', isObject],
	web: [
		'a web address of another machine',
		(value) =>
			typeof value === 'string' &&
			/^https?:\/\/(?!(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b)./i.test(value),
	],
	language: [
		'a language such as en or en-us',
		(value) => typeof value === 'string' && /^[a-z]{2}(-[a-z]{2})?$/i.test(value),
	],
};

/** Returns what a value must be instead; undefined if it fits the type. */
function expectation(value: unknown, type: string): string | undefined {
	if (type.includes('/')) {
		const expected = type.split('/').map((one) => expectation(value, one));
		return expected.includes(undefined) ? undefined : expected.join(' or ');
	}
	if (type.startsWith('[')) return listExpectation(value, type);
	if (type.includes('..')) return rangeExpectation(value, type);
	const [words, fits] = TYPES[type.startsWith('{') ? 'object' : type] ?? [];
	if (fits) return fits(value) ? undefined : words;
	const choices = type.split('|');
	return choices.includes(value as string) ? undefined : `one of ${choices.join(', ')}`;
}

function listExpectation(value: unknown, type: string): string | undefined {
	const [, item = '', filled] = /^\[(.+)\](\+?)$/.exec(type) ?? [];
	if (!Array.isArray(value)) return 'a list';
	if (filled && value.length === 0) return "a list that isn't empty";
	const expected = value.map((one) => expectation(one, item)).find(Boolean);
	return expected === undefined ? undefined : `a list, each entry ${expected}`;
}

/** The range of a whole number, or of a text's length. */
function rangeExpectation(value: unknown, type: string): string | undefined {
	const [, text, least = '', most = ''] = /^(text)?(\d*)\.\.(\d*)$/.exec(type) ?? [];
	const ofText = typeof value === 'string' ? [...value].length : Number.NaN;
	const size = text === undefined ? value : ofText;
	const isWithin =
		Number.isSafeInteger(size) &&
		Number(size) >= Number(least || -Infinity) &&
		Number(size) <= Number(most || Infinity);
	if (isWithin) return undefined;
	if (text !== undefined)
		return `text of ${least === most ? least : `${least} to ${most}`} characters`;
	const bounds = [least && `at least ${least}`, most && `at most ${most}`].filter(Boolean);
	return `a whole number of ${bounds.join(' and ')}`;
}

/** Returns a value for a message. */
export function shown(value: unknown): string {
	const text = JSON.stringify(value) ?? String(value);
	return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
