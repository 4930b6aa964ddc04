import type { Call } from '../calls/call';
import type { Wire } from '../delivery/body';
import { formEncode } from '../delivery/form';
import type { FlowNode } from '../model/types';

/** The parts of a `voice_url` (§2.2): `{dflow}&callflow_id=<id>&webserver=<host and path>`. */
const VOICE_URL = /^\{dflow\}&callflow_id=([^&]*)&webserver=(.+)$/;

/** Takes a `voice_url` apart (§2.2); gives nothing when it has another form. */
export function parseVoiceUrl(url: unknown): { callflowId: string; webserver: string } | undefined {
	const [, callflowId, webserver] = VOICE_URL.exec(String(url)) ?? [];
	if (callflowId === undefined || webserver === undefined) return undefined;
	const isEncoded = !webserver.includes('/') && /%2f/i.test(webserver);
	return { callflowId, webserver: isEncoded ? decodeURIComponent(webserver) : webserver };
}

/** Gives what the platform tells the web service about a call. */
export function questionParameters(call: Call): Record<string, string> {
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

/** Builds the request to the web service: GET with a query, or POST with a form (§2.2 method). */
export function questionWire(call: Call, node: FlowNode, webserver: string): Wire {
	const url = /^https?:\/\//.test(webserver) ? webserver : `http://${webserver}`;
	const parameters = formEncode(questionParameters(call));
	const headers = { accept: 'application/json', 'user-agent': 'virtual-pbx-sandbox' };
	if (String(node.data.method ?? 'GET').toUpperCase() !== 'POST') {
		const joint = url.includes('?') ? '&' : '?';
		return { method: 'GET', url: `${url}${joint}${parameters}`, headers, body: '' };
	}
	const type = 'application/x-www-form-urlencoded';
	return { method: 'POST', url, headers: { ...headers, 'content-type': type }, body: parameters };
}
