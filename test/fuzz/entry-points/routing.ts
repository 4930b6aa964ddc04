import { answerOfSteps, checkAnswer } from '../../../nodes/VirtualPbx/pbx/pivot/answer';
import * as flow from '../../../nodes/VirtualPbx/pbx/callflows/flow';
import { simplifyRequest } from '../../../nodes/VirtualPbx/pbx/pivot/request';
import type { RoutingRequest } from '../../../nodes/VirtualPbx/pbx/pivot/request';
import { flowValues, formTexts, jsonTexts, jsonValues } from '../bodies';
import { entryPoint } from '../growth';

const REQUEST = { 'Call-ID': 'a', From: '74950000001', To: '74950000100', Request: '100' };
const FLOW = { module: 'pivot', data: { voice_url: '{dflow}&webserver=x' }, children: {} };

const STEP = { type: 'extension', extension: '101', timeout: 20 };

const simplified = (request: Partial<RoutingRequest>) =>
	simplifyRequest({ method: 'POST', query: {}, body: undefined, ...request });

/** Reads routing requests and callflows (§2.2). */
export const routingEntryPoints = [
	entryPoint('routing requests, as text', { ...jsonTexts(REQUEST), ...formTexts }, (body) =>
		simplified({ body }),
	),
	entryPoint('routing requests, parsed by n8n', jsonValues(REQUEST), (body) =>
		simplified({ body }),
	),
	entryPoint('routing answers', jsonValues(STEP, 'operations'), (body) => checkAnswer(body)),
	entryPoint('flows as answers', flowValues, (body) => checkAnswer(body, true)),
	entryPoint('lists of steps', jsonValues(STEP, 'step'), (body) => answerOfSteps(body)),
	entryPoint('callflows', jsonValues(FLOW, 'children'), (body) => [
		flow.flowFault(body),
		flow.withPivotRoot(body, { method: 'GET' }),
	]),
];
