import type { Call } from '../calls/call';
import { formEncode, wireOf, type Wire } from '../delivery/body';
import { storedNumber } from '../model/callflows';
import type { Settings } from '../model/settings';
import type { FlowNode } from '../model/types';

/** The parts of a `voice_url` (§2.2): `{dflow}&callflow_id=<id>&webserver=<host and path>`. */
const VOICE_URL = /^\{dflow\}&callflow_id=([^&]*)&webserver=(.+)$/;

/** Parses a `voice_url` (§2.2) in the form of the settings. Returns undefined if it has another form. */
export function readVoiceUrl(
	url: unknown,
	{ voice_urls: form }: Settings,
): { callflowId: string | undefined; webserver: string } | undefined {
	const address = String(url);
	if (form === 'http') {
		const callflowId = /[?&]callflow_id=([^&]*)/.exec(address)?.[1];
		return /^https?:\/\/\S+$/.test(address) ? { callflowId, webserver: address } : undefined;
	}
	const [, callflowId, webserver] = VOICE_URL.exec(address) ?? [];
	if (webserver === undefined) return undefined;
	const isEncoded = !webserver.includes('/') && /%2f/i.test(webserver);
	return { callflowId, webserver: isEncoded ? decodeURIComponent(webserver) : webserver };
}

/** Returns the platform's routing request parameters for a call: a stock Kazoo's have public numbers with `+`. */
function parametersOf({ account, first }: Call, settings: Settings): Record<string, string> {
	const { caller, callee, callId, direction, state } = first;
	const status = { 'Call-Status': state === 'answered' ? 'answered' : 'ringing' };
	return {
		'Call-ID': callId,
		'Account-ID': account.id,
		'Api-Version': '4.x',
		...(settings.profile !== 'kazoo' && status),
		From: caller.user,
		'From-Realm': caller.realm,
		To: callee.user,
		'To-Realm': callee.realm,
		Request: callee.number,
		'Request-Realm': callee.realm,
		'Caller-ID-Name': caller.name,
		Direction: direction,
		Language: 'en-us',
		'Caller-ID-Number': storedNumber(caller.number, settings),
	};
}

/** Empty fields, which a stock Kazoo sends as `&&&` in a form. */
const EMPTY = { 'Custom-SIP-Headers': {}, 'Custom-Application-Vars': {} };

/** Builds the request to the web service: GET with a query, or POST with a form or JSON (§2.2 method). */
export function requestWire(
	call: Call,
	{ data }: FlowNode,
	webserver: string,
	settings: Settings,
): Wire {
	const isKazoo = settings.profile === 'kazoo';
	const url = /^https?:\/\//.test(webserver) ? webserver : `http://${webserver}`;
	// A stock Kazoo sends no parameters at all for an unknown response format.
	const isUnknown = isKazoo && data.req_format !== 'kazoo';
	const fields = isUnknown ? {} : parametersOf(call, settings);
	const form = formEncode(fields);
	const parameters = isKazoo ? form.replace('&Caller-ID-Number=', '&&&Caller-ID-Number=') : form;
	const method = String(data.method ?? 'GET').toUpperCase() === 'POST' ? 'POST' : 'GET';
	const headers = { accept: 'application/json', 'user-agent': 'virtual-pbx-sandbox' };
	const isJson = isKazoo && data.req_body_format === 'json';
	const request = { method, url, headers };
	return wireOf(request, parameters, isJson ? { ...fields, ...EMPTY } : undefined);
}
