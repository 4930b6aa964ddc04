import { answerOfSteps, checkAnswer } from '../../../nodes/VirtualPbx/pbx/pivot/answer';
import * as flow from '../../../nodes/VirtualPbx/pbx/callflows/pivotModule';
import { simplifyRequest } from '../../../nodes/VirtualPbx/pbx/pivot/request';
import type { RoutingRequest } from '../../../nodes/VirtualPbx/pbx/pivot/request';
import { flowValues, formTexts, jsonTexts, jsonValues } from '../bodies';
import { door } from '../growth';

const REQUEST = { 'Call-ID': 'a', From: '74950000001', To: '74950000100', Request: '100' };
const FLOW = { module: 'pivot', data: { voice_url: '{dflow}&webserver=x' }, children: {} };

const STEP = { type: 'extension', extension: '101', timeout: 20 };

const asked = (request: Partial<RoutingRequest>) =>
	simplifyRequest({ method: 'POST', query: {}, body: undefined, ...request });

/** What routing requests and callflows meet (§2.2). */
export const routingDoors = [
	door('routing requests, as text', { ...jsonTexts(REQUEST), ...formTexts }, (body) =>
		asked({ body }),
	),
	door('routing requests, as n8n has parsed them', jsonValues(REQUEST), (body) => asked({ body })),
	door('routing answers', jsonValues(STEP, 'operations'), (body) => checkAnswer(body)),
	door('flows as answers', flowValues, (body) => checkAnswer(body, true)),
	door('rows of steps', jsonValues(STEP, 'step'), (body) => answerOfSteps(body)),
	door('callflows', jsonValues(FLOW, 'children'), (body) => [
		flow.flowFault(body),
		flow.withPivotRoot(body, { method: 'GET' }),
	]),
];
