import type { INodeParameters } from 'n8n-workflow';
import { RESOURCES } from '../../nodes/VirtualPbx/actions';
import { operate } from '../support/operate';
import type { Bench, Step } from './bench';

type Parameters = (bench: Bench) => INodeParameters;

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const callflowId = byId('callflow-one');
const webhookId = byId('webhook-one');
const serviceUrl = 'https://n8n.example.com/webhook/route';
const uri = 'https://n8n.example.com/webhook/calls';
const step = { steps: { step: [{ type: 'voicemail', extension: '100' }] } };
const range = () => ({
	after: new Date(Date.now() - 1_800_000).toISOString(),
	before: new Date(Date.now() + 1_800_000).toISOString(),
});

/** The minimal parameters of each operation. Add a line for each new operation. */
export const PARAMETERS: Record<string, Parameters> = {
	'account:get': () => ({}),
	'callflow:create': () => ({ numbers: '777', flowSource: 'pivot', serviceUrl }),
	'callflow:delete': () => ({ callflowId }),
	'callflow:get': () => ({ callflowId }),
	'callflow:getMany': () => ({ returnAll: true }),
	'callflow:update': () => ({ callflowId, updateFields: { name: 'Renamed' } }),
	'callflow:upsert': () => ({ number: '555', name: 'Renamed', flowSource: 'pivot', serviceUrl }),
	'call:get': ({ call: { callId } }) => ({ callId }),
	'call:start': ({ account }) => ({
		employee: { __rl: true, mode: 'device', value: account.users()[0]?.devices[0]?.id ?? '' },
		number: '12125550123',
	}),
	'employee:getMany': () => ({ returnAll: true }),
	'cdr:getMany': () => ({ returnAll: true, ...range() }),
	'call:getMany': () => ({ returnAll: true, period: 'range', ...range() }),
	'call:getStatistics': () => ({ period: 'range', ...range() }),
	'call:getMissedCallers': () => ({ period: 'range', ...range() }),
	'recording:download': ({ call: { recordingUrl } }) => ({ source: 'url', recordingUrl }),
	'routing:buildAnswer': () => step,
	'routing:respond': () => step,
	'webhook:checkHealth': () => ({}),
	'webhook:create': () => ({ name: 'New', uri, hook: 'channel_answer' }),
	'webhook:delete': () => ({ webhookId }),
	'webhook:deleteLeftovers': () => ({ address: uri, dryRun: false }),
	'webhook:get': () => ({ webhookId }),
	'webhook:getAttempts': () => ({ attemptsOf: 'one', webhookId, returnAll: true }),
	'webhook:getMany': () => ({ returnAll: true }),
	'webhook:update': () => ({ webhookId, updateFields: { name: 'Renamed' } }),
};

/** One step for each of the action node's operations. */
export const operationSteps: Step[] = RESOURCES.flatMap(({ value, name, operations }) =>
	operations.map((operation) => {
		const key = `${value}:${operation.value}`;
		return {
			name: `${name} → ${operation.name}`,
			section: name,
			isOperation: true,
			prepare: async (bench: Bench) => async () =>
				await operate(bench.credential, key, PARAMETERS[key]?.(bench) ?? {}),
		};
	}),
);
