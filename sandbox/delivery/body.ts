import type { Settings } from '../model/settings';
import { MARKS, type CallEvent, type Mark, type Webhook } from '../model/types';

/** The fields of `args` (§6) that the flat forms keep. */
const FIELDS = [
	...['Call-Direction', 'Call-ID', 'Other-Leg-Call-ID', 'Caller-ID-Number', 'Caller-ID-Name'],
	...['Callee-ID-Number', 'Callee-ID-Name', 'From', 'To', 'Request', 'Timestamp'],
	...['Duration-Seconds', 'Billing-Seconds', 'Ringing-Seconds', 'Hangup-Cause', 'Hangup-Code'],
];
/** The keys of Custom-Channel-Vars that move to the top level in the flat forms. */
const VARS = ['Account-ID', 'Owner-ID', 'Authorizing-ID', 'Reseller-ID', 'Inception'];
/** Fields of the flat form that a stock Kazoo doesn't send. */
const NOT_STOCK = ['Request', 'Inception'];
/** Fields that a stock Kazoo sends only for legs to phones. */
const OF_CALLEE = ['Callee-ID-Number', 'Callee-ID-Name'];

type Fields = Record<string, unknown>;

/** Returns some fields under their names in the flat forms. */
const picked = (from: Fields, names: string[], dropped: string[] = []): Fields =>
	Object.fromEntries(
		names
			.filter((name) => from[name] !== undefined && !dropped.includes(name))
			.map((name) => [name.toLowerCase().replaceAll('-', '_'), from[name]]),
	);

/** Returns the marks of a leg as text: the named ones always, the others only if set. */
function marked({ marks }: CallEvent, ...always: Mark[]): Record<string, string> {
	const shown = MARKS.filter((name) => marks[name] || always.includes(name));
	return Object.fromEntries(shown.map((name) => [name, String(marks[name])]));
}

/**
 * Returns an event as a stock Kazoo sends it, with channel variables only if allowed, or as live services send it to
 * some receivers: flat, in lower case, and identified only by its call and name.
 */
function flatEvent(event: CallEvent, { profile, channel_vars: hasVars }: Settings): Fields {
	const { name, args } = event;
	const vars = args['Custom-Channel-Vars'] as Fields;
	const isInbound = args['Call-Direction'] === 'inbound';
	const isDevice = vars['Authorizing-ID'] !== undefined;
	const hook_event = name.toLowerCase();
	if (profile === 'field')
		return {
			hook_event,
			...picked(args, FIELDS),
			...picked(vars, VARS),
			...(isDevice && { authorizing_type: 'device' }),
			local_resource_used: 'false',
			...marked(event, 'call_forwarded'),
		};
	const authorizing_type = isDevice ? 'device' : 'resource';
	return {
		...picked(args, FIELDS, isInbound ? [...NOT_STOCK, ...OF_CALLEE] : NOT_STOCK),
		...picked(vars, VARS, NOT_STOCK),
		...((isDevice || isInbound) && { authorizing_type }),
		...(hasVars && { custom_channel_vars: { ...vars, 'Authorizing-Type': authorizing_type } }),
		reseller_id: vars['Account-ID'],
		...marked(event, 'emergency_resource_used', 'is_internal_leg'),
		...{ local_resource_used: String(!isInbound), cluster_id: 'sandbox', hook_event },
	};
}

/** Adds the webhook's `custom_data` to the event, placed as in the settings (§2.5). */
export function shapeEvent(event: CallEvent, webhook: Webhook, settings: Settings): object {
	const { custom_data_placement: placement, profile } = settings;
	const isFlat = profile !== 'contract';
	const custom = webhook.custom_data;
	const intoArgs = placement === 'args' || (placement === 'top' && isFlat);
	const fields = isFlat ? flatEvent(event, settings) : event.args;
	const args = custom && intoArgs ? { ...fields, ...custom } : fields;
	const outer = isFlat ? args : { name: event.name, args };
	if (!custom || intoArgs || placement === 'none') return outer;
	return placement === 'top' ? { ...outer, ...custom } : { ...outer, custom_data: custom };
}

/** Lists the fields of a form-encoded body: nested keys as `a[b]`, every value a string. */
function fieldsOf(value: unknown, name = ''): Array<[string, string]> {
	if (value === null || typeof value !== 'object') return [[name, String(value ?? '')]];
	return Object.entries(value).flatMap(([key, inner]) =>
		fieldsOf(inner, name === '' ? key : `${name}[${key}]`),
	);
}

export const formEncode = (value: object): string =>
	new URLSearchParams(fieldsOf(value)).toString();

export interface Wire {
	method: string;
	url: string;
	headers: Record<string, string>;
	body: string;
}

/** Builds a request with fields as a query, a form, or JSON. */
export function wireOf(
	{ method, url, headers }: Omit<Wire, 'body'>,
	form: string,
	json?: object,
): Wire {
	if (method === 'GET')
		return { method, url: `${url}${url.includes('?') ? '&' : '?'}${form}`, headers, body: '' };
	const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
	const body = json ? JSON.stringify(json) : form;
	return { method, url, headers: { ...headers, 'content-type': type }, body };
}

/** Encodes an event for a webhook: JSON or form in the body, or a query for verb `get`. */
export function encode(
	shaped: object,
	{ id, http_verb: verb, uri: url, format }: Webhook,
	{ profile }: Settings,
	accountId: string,
): Wire {
	const own = { 'x-hook-id': id, 'x-account-id': accountId };
	const headers = { 'user-agent': 'virtual-pbx-sandbox', ...(profile === 'kazoo' && own) };
	const isJson = profile === 'contract' || format === 'json';
	const request = { method: verb.toUpperCase(), url, headers };
	return wireOf(request, formEncode(shaped), isJson ? shaped : undefined);
}
