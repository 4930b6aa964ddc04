import type { Call } from '../calls/call';
import type { Wire } from '../delivery/body';
import { formEncode } from '../delivery/form';
import { storedNumber } from '../model/callflows';
import { omit } from '../model/omit';
import type { Settings } from '../model/settings';
import type { FlowNode } from '../model/types';

/** The parts of a `voice_url` (§2.2): `{dflow}&callflow_id=<id>&webserver=<host and path>`. */
const VOICE_URL = /^\{dflow\}&callflow_id=([^&]*)&webserver=(.+)$/;

/** Parses a `voice_url` (§2.2). Returns undefined if it has another form. */
function parseVoiceUrl(url: unknown): { callflowId: string; webserver: string } | undefined {
	const [, callflowId, webserver] = VOICE_URL.exec(String(url)) ?? [];
	if (callflowId === undefined || webserver === undefined) return undefined;
	const isEncoded = !webserver.includes('/') && /%2f/i.test(webserver);
	return { callflowId, webserver: isEncoded ? decodeURIComponent(webserver) : webserver };
}

/** Parses a `voice_url` in the form of the settings. */
export function readVoiceUrl(
	url: unknown,
	{ voice_urls: form }: Pick<Settings, 'voice_urls'>,
): { callflowId?: string; webserver: string } | undefined {
	if (form === 'dflow') return parseVoiceUrl(url);
	const address = String(url);
	if (!/^https?:\/\/\S+$/.test(address)) return undefined;
	const callflowId = /[?&]callflow_id=([^&]*)/.exec(address)?.[1];
	return { webserver: address, ...(callflowId === undefined ? {} : { callflowId }) };
}

/** Returns the platform's routing request parameters for a call. */
function requestParameters(call: Call): Record<string, string> {
	const { caller, callee, callId, direction } = call.first;
	return {
		'Call-ID': callId,
		'Account-ID': call.account.id,
		'Api-Version': '4.x',
		'Call-Status': call.first.state === 'answered' ? 'answered' : 'ringing',
		From: caller.user,
		'From-Realm': caller.realm,
		To: callee.user,
		'To-Realm': callee.realm,
		Request: callee.number,
		'Request-Realm': callee.realm,
		'Caller-ID-Name': caller.name,
		'Caller-ID-Number': caller.number,
		Direction: direction,
		Language: 'en-us',
	};
}

/**
 * Returns a stock Kazoo's parameters for a call: public numbers with `+`, and none at all for an
 * unknown response format.
 */
function kazooParameters(call: Call, { data }: FlowNode): Record<string, string> {
	if (data.req_format !== 'kazoo') return {};
	const { 'Caller-ID-Number': number = '', ...rest } = omit(requestParameters(call), 'Call-Status');
	return { ...rest, 'Caller-ID-Number': storedNumber(number, { profile: 'kazoo' }) };
}

/** Empty fields, which a stock Kazoo sends as `&&&` in a form. */
const EMPTY = { 'Custom-SIP-Headers': {}, 'Custom-Application-Vars': {} };

/** Builds the request to the web service: GET with a query, or POST with a form or JSON (§2.2 method). */
export function requestWire(
	call: Call,
	node: FlowNode,
	webserver: string,
	{ profile }: Settings,
): Wire {
	const isKazoo = profile === 'kazoo';
	const url = /^https?:\/\//.test(webserver) ? webserver : `http://${webserver}`;
	const fields = isKazoo ? kazooParameters(call, node) : requestParameters(call);
	const form = formEncode(fields);
	const parameters = isKazoo ? form.replace('&Caller-ID-Number=', '&&&Caller-ID-Number=') : form;
	const headers = { accept: 'application/json', 'user-agent': 'virtual-pbx-sandbox' };
	if (String(node.data.method ?? 'GET').toUpperCase() !== 'POST') {
		const joint = url.includes('?') ? '&' : '?';
		return { method: 'GET', url: `${url}${joint}${parameters}`, headers, body: '' };
	}
	if (isKazoo && node.data.req_body_format === 'json') {
		const body = JSON.stringify({ ...fields, ...EMPTY });
		return {
			method: 'POST',
			url,
			headers: { ...headers, 'content-type': 'application/json' },
			body,
		};
	}
	const type = 'application/x-www-form-urlencoded';
	return { method: 'POST', url, headers: { ...headers, 'content-type': type }, body: parameters };
}
