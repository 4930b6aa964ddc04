import type { Call } from '../calls/call';
import { ANSWER_KEPT, type Answer } from '../delivery/client';
import { newId } from '../model/ids';
import type { Pbx } from '../model/pbx';
import type { Problem, RoutingEntry } from '../model/routing';
import type { FlowNode } from '../model/types';
import { checkAnswer, refuseAnswer, type CheckedAnswer } from './answer';
import { parseVoiceUrl, questionWire } from './question';
import { nodeFor } from './steps';

/** Reads what the web service said, from its status to its operations. */
function readAnswer({ status, error, contentType, text }: Answer): CheckedAnswer {
	if (status === null) return refuseAnswer('§2.2 answer within req_timeout', error ?? 'no answer');
	if (status < 200 || status > 299) {
		return refuseAnswer('§2.3 answer is a success', `the web service answered ${status}`);
	}
	if (!/^application\/([\w.-]+\+)?json\b/i.test(contentType)) {
		const message = `the answer must be application/json, not ${contentType || 'without a type'}`;
		return refuseAnswer('§2.3 answer is JSON', message);
	}
	try {
		return checkAnswer(JSON.parse(text));
	} catch {
		return refuseAnswer('§2.3 answer is JSON', 'the answer is not valid JSON');
	}
}

/** Turns operations into callflow nodes; those whose target does not exist are left out and reported. */
function translate(call: Call, { operations, problems }: CheckedAnswer) {
	if (problems.length > 0) return { nodes: [], problems };
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
	return { nodes, problems: missing };
}

const DEFAULT_TIMEOUT_SECONDS = 5;

/**
 * Asks the web service of a pivot node where the call shall go (§2.2, §2.3).
 * Gives the entry for the log and the nodes to run; none when the answer is of no use.
 */
export async function askWebService(
	pbx: Pbx,
	call: Call,
	node: FlowNode,
): Promise<{ entry: RoutingEntry; nodes: FlowNode[] }> {
	const target = parseVoiceUrl(node.data.voice_url);
	const warnings: string[] = [];
	if (target && target.callflowId !== call.callflowId) {
		warnings.push('callflow_id of the voice_url is not the callflow that was reached');
	}
	const wire = questionWire(call, node, target?.webserver ?? '');
	const timeout = Number(node.data.req_timeout) || DEFAULT_TIMEOUT_SECONDS;
	const answer = await pbx.client.send(wire, timeout);
	const checked = readAnswer(answer);
	const { nodes, problems } = translate(call, checked);
	const entry: RoutingEntry = {
		id: newId(),
		at: new Date().toISOString(),
		call_id: call.id,
		callflow_id: call.callflowId ?? '',
		method: wire.method,
		url: wire.url,
		status: answer.status,
		ms: Math.round(answer.ms),
		answer: answer.text.slice(0, ANSWER_KEPT),
		operations: checked.operations,
		problems,
		warnings,
		outcome: 'ended',
	};
	return { entry, nodes };
}
