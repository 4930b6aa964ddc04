import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../parameters/inputs';
import {
	readFields,
	readJsonObject,
	readNumber,
	readOptionalText,
	readParameter,
	readSwitch,
	readText,
	readTextList,
	refusal,
} from '../../parameters/inputs';
import { pivotRequestFields } from '../../parameters/options';
import type { Pivot } from '../../pbx/callflows/pivotModule';
import { completeFlow, flowFault, webserverOf } from '../../pbx/callflows/pivotModule';
import type { Scope } from '../../pbx/documents';
import type { OperationCall } from '../contract';
import { openScope } from '../contract';

const NAME_HINT = 'Enter a name, or remove the field to keep the current one.';

/** Inputs of a callflow beside its flow (§2.2). */
export const callflowFields = {
	name: {
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Sales line',
		description: 'Name of the callflow',
	},
	numbers: {
		displayName: 'Numbers',
		name: 'numbers',
		type: 'string',
		default: '',
		placeholder: 'e.g. 74951234567, 1001',
		description:
			'Numbers that lead to this callflow, separated by commas, or an array from an expression',
	},
	patterns: {
		displayName: 'Patterns',
		name: 'patterns',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. ^7495\\d{7}$',
		description:
			'Regular expressions for numbers that lead to this callflow, one per line, or an array from an expression',
	},
	fakenumber: {
		displayName: 'Fake Number',
		name: 'fakenumber',
		type: 'boolean',
		default: false,
		description: 'Whether to set the "fakenumber" flag of the PBX. Ask your provider what it does.',
	},
} satisfies Record<string, INodeProperties>;

/** Reads the fields of a callflow that the user named; throws NodeOperationError for what is empty, and for a pattern that is none. */
export function readCallflowValues(at: ItemContext, values: IDataObject): IDataObject {
	const result: IDataObject = {};
	if (values.name !== undefined) result.name = readText(at, values.name, 'Name', NAME_HINT);
	if (values.numbers !== undefined)
		result.numbers = readTextList(at, values.numbers, 'Numbers', /[,;\n]/);
	if (values.patterns !== undefined) result.patterns = readPatterns(at, values.patterns);
	if (values.fakenumber !== undefined)
		result.fakenumber = readSwitch(at, values.fakenumber, 'Fake Number');
	return result;
}

function readPatterns(at: ItemContext, value: unknown): string[] {
	const patterns = readTextList(at, value, 'Patterns', /\r?\n/);
	for (const pattern of patterns) {
		const fault = patternFault(pattern);
		if (fault === undefined) continue;
		throw refusal(
			at,
			`Patterns: "${pattern}" is not a regular expression (${fault})`,
			'Correct the pattern. Write a star code such as *98 as \\*98, and a plus sign as \\+.',
		);
	}
	return patterns;
}

/** Forms that JavaScript lacks, or reads in another way than the PCRE of a PBX. */
const PCRE_ONLY = /\(\?(?![:=!]|<[=!])|\(\*|\\Q|\[\^?\]|[*+?}]\+|\}\{/;

/** Tells why a text cannot be a regular expression (§2.2); undefined for one that the PBX alone can judge. */
export function patternFault(pattern: string): string | undefined {
	if (pattern.trim() === '') return 'it is empty';
	if (PCRE_ONLY.test(pattern)) return undefined;
	try {
		new RegExp(pattern);
		return undefined;
	} catch (error) {
		return String((error as Error).message).replace(/^.*\/: /s, '');
	}
}

/** A flow as the user gives it; without both, the flow stays as it is. */
export interface FlowInput {
	json?: IDataObject;
	pivot?: Pivot;
}

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
	'How long the PBX waits for the answer. Until then, the caller hears silence. Some platforms count in another unit.',
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

/** Opens the PBX and reads {@link flowFields} and {@link pivotFields}. Throws NodeOperationError when the JSON is no
 * flow, or the PBX could not build the address from the form.
 */
export async function openWithFlow(
	call: OperationCall,
	mayKeep: boolean,
): Promise<{ work: Scope; flow: FlowInput }> {
	const work = await openScope(call);
	const usual = mayKeep ? 'keep' : 'pivot';
	const source = readParameter(call, 'flowSource', usual) ?? usual;
	if (source === 'keep') return { work, flow: {} };
	if (source === 'json') return { work, flow: { json: readFlowJson(call) } };
	const collection = mayKeep ? 'updateFields' : 'additionalFields';
	return { work, flow: { pivot: readPivot(call, collection) } };
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

function readPivot(at: ItemContext, collection: string): Pivot {
	const { serviceMethod, serviceTimeout, serviceFormat } = readFields(at, collection);
	const address = webserverOf(String(readParameter(at, 'serviceUrl', '') ?? '').trim());
	if ('fault' in address) {
		throw refusal(
			at,
			`Web Service URL ${address.fault}`,
			'Enter host and path only, for example https://n8n.example.com/webhook/route-call',
		);
	}
	return {
		webserver: address.webserver,
		method: ifSet(serviceMethod, () => readText(at, serviceMethod, 'Request Method').toUpperCase()),
		timeout: ifSet(serviceTimeout, () =>
			String(readNumber(at, serviceTimeout, 'Request Timeout', { least: 0.1 })),
		),
		format: readOptionalText(at, serviceFormat, 'Response Format'),
	};
}

function ifSet(value: unknown, read: () => string): string | undefined {
	return value === undefined ? undefined : read();
}
