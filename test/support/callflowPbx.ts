import './core/environment';
import type { IDataObject } from 'n8n-workflow';

import { TIMEOUTS } from '../../nodes/VirtualPbx/pbx/response';
import type { TriggerInput } from './core';
import { credentialOf } from './operate';
import { platformField } from './profile';
import { send, startScriptedPbx } from './scriptedPbx';
import type { ScriptedAnswer, SeenRequest } from './scriptedPbx';
import { startRoutingTrigger } from './trigger/routing';

export const OLD_FLOW = {
	module: 'user',
	data: { id: 'u1', timeout: '20' },
	children: { _: { module: 'voicemail', data: { id: 'v1' }, children: {} } },
	stick_node: false,
};

/** A callflow with a field that the contract doesn't know. */
export const CALLFLOW = {
	id: 'cf1',
	name: 'Main',
	numbers: ['12125550100'],
	patterns: ['^1\\d\\d$'],
	fakenumber: true,
	flow: OLD_FLOW as IDataObject,
	ringback: { early: 'tone' },
};

/** The parameters of a pivot node that asks this address, on the platform of the test file. */
export const pivotAt = (url: string, id = 'cf1'): IDataObject =>
	platformField().dialect === 'kazoo'
		? {
				method: 'get',
				req_timeout_ms: 5000,
				req_format: 'kazoo',
				voice_url: `${url}?callflow_id=${id}`,
			}
		: {
				method: 'GET',
				req_timeout: '5',
				req_format: 'pbx',
				voice_url: `{dflow}&callflow_id=${id}&webserver=${url.replace(/^https?:\/\//, '')}`,
			};

/** A pivot node that asks this address, in front of a flow. */
export const connectedTo = (url: string, old?: IDataObject): IDataObject => ({
	module: 'pivot',
	data: pivotAt(url),
	children: old ? { _: old } : {},
});

/** The PBX's first state: `cf1` and `cf2`, no faults. */
const start = () => ({
	/** By ID. */
	store: new Map<string, IDataObject>([
		['cf1', structuredClone(CALLFLOW)],
		['cf2', { ...structuredClone(CALLFLOW), id: 'cf2', numbers: ['200'] }],
	]),
	/** Responds instead of the PBX. Undefined lets the request through. */
	fault: (_: SeenRequest): ScriptedAnswer | undefined => undefined,
	/** Changes a flow as the PBX does before it stores it. */
	keep: (flow: IDataObject) => flow,
	/** Holds a request back until the promise resolves. Only then does it read or write. */
	gate: (_: SeenRequest): Promise<void> | undefined => undefined,
});

export type CallflowPbx = Awaited<ReturnType<typeof startCallflowPbx>>;

/**
 * Starts a PBX that stores callflows, for routing triggers that connect themselves to them. Nodes wait `settling`
 * milliseconds for rivals there.
 */
export async function startCallflowPbx(settling = 20) {
	TIMEOUTS.settling = settling;
	const state = start();
	const scripted = await startScriptedPbx((request) => {
		const opened = state.gate(request);
		if (opened === undefined) return answer(state, request);
		return {
			raw: (response) =>
				void opened.then(() => send(response, answer(state, request) ?? { body: { data: [] } })),
		};
	});
	const account = await credentialOf(scripted);
	return Object.assign(state, scripted, {
		account,
		flowOf: (id = 'cf1') => state.store.get(id)?.flow as IDataObject,
		setFlow: (flow: IDataObject, id = 'cf1') =>
			void state.store.set(id, { ...state.store.get(id), flow }),
		reset: () => void Object.assign(state, start()),
		/** Creates an inactive trigger that connects itself to `cf1`, a new one each time. */
		makeTrigger: async (parameters: IDataObject = {}, rest: Partial<TriggerInput> = {}) =>
			await startRoutingTrigger(account, 'cf1', parameters, {
				...{ name: 'Route', webhookId: 'route-1' },
				...rest,
			}),
	});
}

function answer(state: ReturnType<typeof start>, request: SeenRequest): ScriptedAnswer | undefined {
	const id = /\/callflows\/([^/]+)$/.exec(request.path)?.[1];
	if (id === undefined) return undefined;
	const given = state.fault(request);
	const callflow = state.store.get(id);
	if (request.method === 'POST' && callflow && given?.status === undefined) {
		const data = structuredClone((request.body as { data: IDataObject }).data);
		state.store.set(id, { id, ...data, flow: state.keep(data.flow as IDataObject) });
	}
	if (given) return given;
	if (!callflow) return { status: 404, body: { message: 'bad identifier' } };
	return { body: { data: state.store.get(id), status: 'success' } };
}
