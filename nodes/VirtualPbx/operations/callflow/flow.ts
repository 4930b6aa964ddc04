import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { completeFlow, flowFault, webserverOf } from '../../pivot/module';
import type { Pivot } from '../../pivot/module';
import { readJsonObject, readParameter, refusal } from '../../fields/inputs';
import type { ItemContext } from '../../fields/inputs';
import { pivotRequestFields } from '../../fields/options';
import type { Scope } from '../../transport/documents';
import { isObject } from '../../values/json';
import type { OperationCall } from '../contract';
import { openScope } from '../contract';

/** How the user gives a flow. */
export type FlowInput =
	| { kind: 'keep' }
	| { kind: 'json'; flow: IDataObject }
	| { kind: 'pivot'; pivot: Pivot };

const KEEP = { name: 'Keep as It Is', value: 'keep', description: 'Leave the flow unchanged' };

const SOURCES = [
	{
		name: 'Ask a Web Service (Pivot)',
		value: 'pivot',
		description: 'For each call, the PBX asks a web service, such as a workflow, what to do',
	},
	{ name: 'JSON', value: 'json', description: 'Any flow, as a tree of modules' },
];

/** A choice that n8n knows only when the workflow runs; a field is then shown, and must not be required. */
const byExpression = { _cnd: { startsWith: '=' } };

const serviceUrl: INodeProperties = {
	displayName: 'Web Service URL',
	name: 'serviceUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://n8n.example.com/webhook/route-call',
	description:
		'Address of the web service, such as the production URL of a Virtual PBX Routing Trigger',
	hint: 'The PBX gets only the host and path, and uses http or https, depending on its configuration.',
};

const DETAILS: INodeProperties[] = [
	{
		displayName: 'Flow (JSON)',
		name: 'flow',
		type: 'json',
		typeOptions: { rows: 6 },
		default: '{\n  "module": "user",\n  "data": {},\n  "children": {}\n}',
		required: true,
		description:
			'Tree of modules: "module" names the action, "data" its parameters, "children" what follows',
		displayOptions: { show: { flowSource: ['json'] } },
	},
	{
		...serviceUrl,
		required: true,
		displayOptions: { hide: { flowSource: ['json', 'keep', byExpression] } },
	},
	{ ...serviceUrl, displayOptions: { show: { flowSource: [byExpression] } } },
];

/** How the PBX asks a web service; for the collection of an operation. */
export const pivotFields = pivotRequestFields(
	['serviceMethod', 'serviceTimeout', 'serviceFormat'],
	{
		typeOptions: { minValue: 0 },
		description:
			'How long the PBX waits for the answer. Until then, the caller hears silence. Some platforms count in another unit.',
	},
).map((field) => ({ ...field, displayOptions: { show: { '/flowSource': ['pivot'] } } }));

/** The fields of a flow: JSON, or the Pivot form (§2.2); where it may stay as it is, that is the default. */
export function flowFields(mayKeep: boolean): INodeProperties[] {
	const source: INodeProperties = {
		displayName: 'Flow',
		name: 'flowSource',
		type: 'options',
		options: SOURCES,
		default: 'pivot',
		description: 'What happens to a call that reaches this callflow',
	};
	if (!mayKeep) return [source, ...DETAILS];
	return [{ ...source, options: [...SOURCES, KEEP], default: 'keep' }, ...DETAILS];
}

/**
 * Opens the PBX, whose platform has a response format of its own, and reads {@link flowFields} and {@link pivotFields}. Throws
 * NodeOperationError when the JSON is no flow, or the PBX could not build the address from the form.
 */
export async function openWithFlow(
	call: OperationCall,
	mayKeep: boolean,
): Promise<{ work: Scope; flow: FlowInput }> {
	const work = await openScope(call);
	const collection = mayKeep ? 'updateFields' : 'additionalFields';
	const byDefault = mayKeep ? 'keep' : 'pivot';
	const source = readParameter(call, 'flowSource', byDefault);
	if (source === 'keep') return { work, flow: { kind: 'keep' } };
	if (source === 'json') return { work, flow: { kind: 'json', flow: readFlowJson(call) } };
	const pivot = readPivot(call, collection, work.pbx.platform);
	return { work, flow: { kind: 'pivot', pivot } };
}

function readFlowJson(at: ItemContext): IDataObject {
	const flow = readJsonObject(at, readParameter(at, 'flow', '{}'), 'Flow (JSON)');
	const fault = flowFault(flow);
	if (fault === undefined) return completeFlow(flow);
	throw refusal(
		at,
		`Flow (JSON) is not valid: ${fault}`,
		'Every node of a flow needs a "module"; "data" and "children" are objects.',
	);
}

function readPivot(at: ItemContext, collection: string, platform: string): Pivot {
	const added = readParameter(at, collection, {});
	const text = (name: string, fallback: string) =>
		String((isObject(added) ? added[name] : undefined) ?? fallback).trim();
	const address = webserverOf(String(readParameter(at, 'serviceUrl', '') ?? '').trim());
	if ('fault' in address) {
		throw refusal(
			at,
			`Web Service URL ${address.fault}`,
			'Enter host and path only, for example https://n8n.example.com/webhook/route-call',
		);
	}
	const timeout = text('serviceTimeout', '5');
	if (!(Number(timeout) > 0)) {
		throw refusal(
			at,
			'Request Timeout must be a number above 0',
			'Correct the parameter Request Timeout.',
		);
	}
	return {
		webserver: address.webserver,
		method: text('serviceMethod', 'GET').toUpperCase() || 'GET',
		timeout,
		format: text('serviceFormat', '') || platform,
	};
}
