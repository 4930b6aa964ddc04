import type { Call } from '../calls/call';
import { SHOWN_CHARACTERS, type HttpResponse } from '../delivery/client';
import type { Account } from '../model/account';
import type { Pbx } from '../model/pbx';
import type { Settings } from '../model/settings';
import type { FlowNode } from '../model/types';
import { jsonIn, newId } from '../model/util';
import { checkAnswer, checkFlow, invalidAnswer } from './answer';
import type { CheckedAnswer, Fields, Problem } from './answer';
import { requestWire, readVoiceUrl } from './request';

const DEFAULT_TIMEOUT_SECONDS = 5;

/** Reads the routing answer in a web service's response. */
function readAnswer(
	{ status, error, headers, text }: HttpResponse,
	isKazoo: boolean,
): CheckedAnswer {
	const { 'content-type': contentType = '' } = headers;
	if (status === null) return invalidAnswer('§2.2 answer within req_timeout', error ?? 'no answer');
	if (status < 200 || status > 299 || (isKazoo && status !== 200)) {
		return invalidAnswer('§2.3 answer is a success', `the web service responded with ${status}`);
	}
	if (!/^application\/([\w.-]+\+)?json\b/i.test(contentType)) {
		const message = `the answer must be application/json, not ${contentType || 'without a type'}`;
		return invalidAnswer('§2.3 answer is JSON', message);
	}
	const answer = jsonIn(text);
	if (answer === undefined)
		return invalidAnswer('§2.3 answer is JSON', 'the answer is not valid JSON');
	return isKazoo ? checkFlow(answer) : checkAnswer(answer);
}

/**
 * Returns where a call goes without a usable response: to the child, at once or after a pause, or nowhere. Only a stock
 * Kazoo doesn't always use the child: a JSON response that isn't a valid flow leaves the caller in silence.
 */
function afterNone({ status, text }: HttpResponse, isKazoo: boolean) {
	if (!isKazoo) return 'child';
	if (status === 200) return jsonIn(text) === undefined ? 'hangup' : 'silence';
	return status === null ? 'pause' : 'child';
}

/** Returns the callflow node that runs an operation, without its children, or undefined if its target doesn't exist. */
function nodeFor(operation: Fields, account: Account) {
	const [type, extension, filename] = [operation.type, operation.extension, operation.filename];
	const id = String(operation.id);
	const user = account.user(type === 'id' ? { id } : { extension: String(extension) });
	// Missing fields come from the employee's settings (§2.3 rule 2).
	const { timeout, delay, strategy } = operation;
	const ringing = { timeout, delay, strategy };
	switch (type) {
		case 'device':
			return account.device(id) && { module: 'device', data: { id, ...ringing } };
		case 'voicemail':
			return user && { module: 'voicemail', data: { id: user.id } };
		case 'callflow': {
			const target = account.callflows.match(String(extension));
			return target && { module: 'callflow', data: { id: target.id } };
		}
		case 'play':
			return account.sounds.has(String(filename)) && { module: 'play', data: { filename } };
		default:
			return user && { module: 'user', data: { id: user.id, ...ringing } };
	}
}

/**
 * Turns operations into callflow nodes, each the child of the one before (§2.3 rule 1: in the order of the array). Those
 * whose target doesn't exist are left out and reported.
 */
function translate({ account }: Call, { operations, problems, flow }: CheckedAnswer) {
	if (problems.length > 0 || flow) return { flow, problems };
	const missing: Problem[] = [];
	let rest: FlowNode | undefined;
	for (const [index, operation] of [...operations.entries()].reverse()) {
		const node = nodeFor(operation, account);
		if (node) rest = { ...node, children: rest ? { _: rest } : {} };
		else {
			const target = operation.extension ?? operation.id ?? operation.filename;
			const message = `${String(operation.type)} ${String(target)} does not exist in the account`;
			missing.unshift({ rule: 'target exists', message, step: index + 1 });
		}
	}
	return { flow: rest, problems: missing };
}

/** How long to wait for a response: `req_timeout` (§2.2), which a stock Kazoo doesn't read. */
function timeoutOf({ data }: FlowNode, { profile }: Settings): number {
	if (profile !== 'kazoo') return Number(data.req_timeout) || DEFAULT_TIMEOUT_SECONDS;
	const wanted = Number(data.req_timeout_ms) / 1000 || DEFAULT_TIMEOUT_SECONDS;
	return Math.min(DEFAULT_TIMEOUT_SECONDS, wanted);
}

/** One routing request to a web service, and its result (§2.3). */
export type RoutingEntry = Awaited<ReturnType<typeof askWebService>>['entry'];

/**
 * Asks the web service of a pivot node where to route the call (§2.2, §2.3). Returns the flow to run, or where the call
 * goes if the response is unusable.
 */
export async function askWebService({ settings, client }: Pbx, call: Call, node: FlowNode) {
	const isKazoo = settings.profile === 'kazoo';
	const { callflowId, webserver = '' } = readVoiceUrl(node.data.voice_url, settings) ?? {};
	const isOther = callflowId !== undefined && callflowId !== call.callflowId;
	const wire = requestWire(call, node, webserver, settings);
	const response = await client.send(wire, timeoutOf(node, settings));
	const checked = readAnswer(response, isKazoo);
	const { flow, problems } = translate(call, checked);
	const entry = {
		id: newId(),
		at: new Date().toISOString(),
		call_id: call.id,
		callflow_id: call.callflowId ?? '',
		method: wire.method,
		url: wire.url,
		status: response.status,
		ms: Math.round(response.ms),
		answer: response.text.slice(0, SHOWN_CHARACTERS),
		operations: checked.operations,
		problems,
		warnings: isOther ? ['callflow_id in the voice_url is not the callflow of the call'] : [],
		/** How the call continued. */
		outcome: 'ended' as 'executed' | 'child' | 'ended',
	};
	return { entry, flow, afterNone: afterNone(response, isKazoo) };
}
