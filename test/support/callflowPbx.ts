import './core/environment';
import type { IDataObject } from 'n8n-workflow';

import { TIMEOUTS } from '../../nodes/VirtualPbx/pbx/response';
import type { StoredCredential, TestTrigger, TriggerInput } from './core';
import { credentialOf } from './operate';
import { platformField } from './profile';
import { startScriptedPbx } from './scriptedPbx';
import type { ScriptedAnswer, ScriptedPbx, SeenRequest } from './scriptedPbx';
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

/** A PBX that stores callflows, and routing triggers that connect themselves to them. */
export interface CallflowPbx extends ScriptedPbx {
	account: StoredCredential;
	/** By ID. */
	store: Map<string, IDataObject>;
	/** Responds instead of the PBX. Undefined lets the request through. */
	fault: (request: SeenRequest) => ScriptedAnswer | undefined;
	/** Changes a flow as the PBX does before it stores it. */
	keep: (flow: IDataObject) => IDataObject;
	/** Holds a request back until the promise resolves. Only then does it read or write. */
	gate: (request: SeenRequest) => Promise<void> | undefined;
	flowOf(id?: string): IDataObject;
	setFlow(flow: IDataObject, id?: string): void;
	/** Restores the start: `cf1` and `cf2`, no faults. */
	reset(): void;
	/** Creates an inactive trigger that connects itself to `cf1`, a new one each time. */
	makeTrigger(parameters?: IDataObject, rest?: Partial<TriggerInput>): Promise<TestTrigger>;
}

/** Starts such a PBX. Nodes wait `settling` milliseconds for rivals there. */
export async function startCallflowPbx(settling = 20): Promise<CallflowPbx> {
	TIMEOUTS.settling = settling;
	const pbx = await startScriptedPbx((request) => {
		const opened = self.gate(request);
		if (opened === undefined) return answer(self, request);
		return {
			raw: (response) =>
				void opened.then(() => {
					const { status = 200, body } = answer(self, request) ?? { body: { data: [] } };
					response.writeHead(status, { 'content-type': 'application/json' });
					response.end(JSON.stringify(body));
				}),
		};
	});
	const account = await credentialOf(pbx);
	const self: CallflowPbx = {
		...pbx,
		account,
		store: new Map(),
		fault: () => undefined,
		keep: (flow) => flow,
		gate: () => undefined,
		flowOf: (id = 'cf1') => self.store.get(id)?.flow as IDataObject,
		setFlow: (flow, id = 'cf1') => void self.store.set(id, { ...self.store.get(id), flow }),
		reset: () => {
			self.store = new Map([
				['cf1', structuredClone(CALLFLOW)],
				['cf2', { ...structuredClone(CALLFLOW), id: 'cf2', numbers: ['200'] }],
			]);
			self.fault = () => undefined;
			self.keep = (flow) => flow;
			self.gate = () => undefined;
		},
		makeTrigger: async (parameters = {}, rest = {}) =>
			await startRoutingTrigger(account, 'cf1', parameters, {
				...{ name: 'Route', webhookId: 'route-1' },
				...rest,
			}),
	};
	self.reset();
	return self;
}

function answer(self: CallflowPbx, request: SeenRequest): ScriptedAnswer | undefined {
	const id = /\/callflows\/([^/]+)$/.exec(request.path)?.[1];
	if (id === undefined) return undefined;
	const given = self.fault(request);
	const callflow = self.store.get(id);
	if (request.method === 'POST' && callflow && given?.status === undefined) {
		const data = structuredClone((request.body as { data: IDataObject }).data);
		self.store.set(id, { id, ...data, flow: self.keep(data.flow as IDataObject) });
	}
	if (given) return given;
	if (!callflow) return { status: 404, body: { message: 'bad identifier' } };
	return { body: { data: self.store.get(id), status: 'success' } };
}
