import type { Call } from '../calls/call';
import { SHOWN_CHARACTERS, type HttpResponse } from '../delivery/client';
import { newId } from '../model/ids';
import type { Pbx } from '../model/pbx';
import type { Problem, RoutingEntry } from '../model/routing';
import type { Settings } from '../model/settings';
import type { FlowNode } from '../model/types';
import { checkAnswer, checkFlow, invalidAnswer, type CheckedAnswer } from './answer';
import { requestWire, readVoiceUrl } from './request';
import { nodeFor } from './steps';

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
	const answer = parsed(text);
	if (answer === undefined)
		return invalidAnswer('§2.3 answer is JSON', 'the answer is not valid JSON');
	return isKazoo ? checkFlow(answer) : checkAnswer(answer);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/**
 * Returns where a call goes without a usable response. Only a stock Kazoo doesn't always use the child: a JSON response
 * that isn't a valid flow leaves the caller in silence.
 */
function afterNone({ status, text }: HttpResponse, isKazoo: boolean): Asked['afterNone'] {
	if (!isKazoo) return 'child';
	if (status === 200) return parsed(text) === undefined ? 'hangup' : 'silence';
	return status === null ? 'pause' : 'child';
}

/** Chains nodes so that each is the child of the one before (§2.3 rule 1: in the order of the array). */
function chain(nodes: FlowNode[]): FlowNode | undefined {
	return nodes.reduceRight<FlowNode | undefined>(
		(rest, node) => ({ ...node, children: rest ? { _: rest } : {} }),
		undefined,
	);
}

/** Turns operations into callflow nodes. Those whose target doesn't exist are left out and reported. */
function translate(call: Call, { operations, problems, flow }: CheckedAnswer) {
	if (problems.length > 0 || flow) return { flow, problems };
	const missing: Problem[] = [];
	const nodes: FlowNode[] = [];
	operations.forEach((operation, index) => {
		const node = nodeFor(operation, call.account);
		if (node) nodes.push(node);
		else {
			const target = operation.extension ?? operation.id ?? operation.filename;
			const message = `${String(operation.type)} ${String(target)} does not exist in the account`;
			missing.push({ rule: 'target exists', message, step: index + 1 });
		}
	});
	return { flow: chain(nodes), problems: missing };
}

/** A routing request with its response. */
interface Asked {
	entry: RoutingEntry;
	/** The flow to run. Missing if the response is unusable. */
	flow: FlowNode | undefined;
	/** Where the call goes without a flow to run: to the child, at once or after a pause, or nowhere. */
	afterNone: 'child' | 'pause' | 'silence' | 'hangup';
}

/** How long to wait for a response: `req_timeout` (§2.2), which a stock Kazoo doesn't read. */
function timeoutOf({ data }: FlowNode, { profile }: Settings): number {
	if (profile !== 'kazoo') return Number(data.req_timeout) || DEFAULT_TIMEOUT_SECONDS;
	const wanted = Number(data.req_timeout_ms) / 1000 || DEFAULT_TIMEOUT_SECONDS;
	return Math.min(DEFAULT_TIMEOUT_SECONDS, wanted);
}

/** Asks the web service of a pivot node where to route the call (§2.2, §2.3). */
export async function askWebService(pbx: Pbx, call: Call, node: FlowNode): Promise<Asked> {
	const { settings } = pbx;
	const isKazoo = settings.profile === 'kazoo';
	const target = readVoiceUrl(node.data.voice_url, settings);
	const warnings: string[] = [];
	if (target?.callflowId !== undefined && target.callflowId !== call.callflowId) {
		warnings.push('callflow_id in the voice_url is not the callflow of the call');
	}
	const wire = requestWire(call, node, target?.webserver ?? '', settings);
	const response = await pbx.client.send(wire, timeoutOf(node, settings));
	const checked = readAnswer(response, isKazoo);
	const { flow, problems } = translate(call, checked);
	const entry: RoutingEntry = {
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
		warnings,
		outcome: 'ended',
	};
	return { entry, flow, afterNone: afterNone(response, isKazoo) };
}
