import type { INodePropertyOptions } from 'n8n-workflow';

import { definePivotRequest } from '../../parameters/options';
import type {
	AddedValues,
	ItemScope,
	ParameterGroup,
	Place,
	Parameter,
} from '../../parameters/parameter';
import {
	defineJson,
	defineOptions,
	defineRaw,
	defineText,
	defineTextList,
	parameterError,
} from '../../parameters/parameter';
import { completeFlow, flowFault, webserverOf } from '../../pbx/callflows/flow';
import type { CallflowInput, Pivot } from '../../pbx/types';
import { withoutPunctuation } from '../../util/party';

/** The parameters of a callflow besides its flow (§2.2). */
export const callflowParameters = {
	name: defineText({
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. Sales line',
		description: 'Name of the callflow',
		remedy: 'Enter a name, or remove the field to keep the current one.',
	}),
	numbers: defineTextList({
		displayName: 'Numbers',
		name: 'numbers',
		type: 'string',
		default: '',
		placeholder: 'e.g. 12125550123, 1001',
		description:
			'Numbers that lead to this callflow, separated by commas, or an array from an expression',
		separator: /[,;\n]/,
	}).map((numbers, place) => [
		...new Set(numbers.map((one) => cleanNumber(one, place, 'Numbers'))),
	]),
	patterns: defineTextList({
		displayName: 'Patterns',
		name: 'patterns',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. ^1212\\d{7}$',
		description:
			'Regular expressions for numbers that lead to this callflow, one per line, or an array from an expression',
		separator: /\r?\n/,
	}).map((patterns, place) => {
		for (const pattern of patterns) {
			const fault = patternFault(pattern);
			if (fault === undefined) continue;
			throw parameterError(
				place,
				`'Patterns' contains "${pattern}", which isn't a regular expression (${fault})`,
				'Correct the pattern. Write a star code such as *98 as \\*98, and a plus sign as \\+.',
			);
		}
		return patterns;
	}),
};

/**
 * Removes the punctuation that people write in phone numbers, with which no call would reach a callflow (interface.md
 * §10). Leaves other texts, such as feature codes and names, as they are. Throws NodeOperationError for what no one
 * can dial.
 */
export function cleanNumber(number: string, place: Place, label: string): string {
	const bare = withoutPunctuation(number);
	if (/^\+?\d+$/.test(bare)) return bare;
	const text = number.trim();
	if (/[\p{L}\d*#]/u.test(text) && !/[\s()]/.test(text)) return text;
	throw parameterError(
		place,
		`'${label}' contains "${text}", which no call can reach`,
		'Enter a phone number, an extension, or a feature code such as *98, without an extension or other text behind it.',
	);
}

/** Reads the callflow fields that the user added. Throws NodeOperationError for empty ones and invalid patterns. */
export function readCallflowInput(given: AddedValues): CallflowInput {
	const { name, numbers, patterns } = callflowParameters;
	return {
		name: name.readIfSet(given),
		numbers: numbers.readIfSet(given),
		patterns: patterns.readIfSet(given),
	};
}

/** Throws NodeOperationError if no number or pattern would lead to a new callflow. */
export function assertIsReachable(at: Place, { numbers = [], patterns = [] }: CallflowInput): void {
	if (numbers.length > 0 || patterns.length > 0) return;
	throw parameterError(
		at,
		"'Numbers' is empty",
		'Enter at least one number, or a pattern, that leads to the callflow.',
	);
}

/** PCRE syntax that JavaScript lacks, beside escapes, which are skipped, and what stands for it there. */
const PCRE_ONLY: ReadonlyArray<[RegExp, string]> = [
	[/\(\*[A-Z\d_=:]+\)|\(\?#[^)]*\)|\(\?[imnsJUX^-]+\)/, ''],
	[/\(\?(?:R|[+-]?\d+|&\w+|P>\w+|P=\w+)\)/, '(?:)'],
	[/\(\?(?:[imnsJUX^-]+:|[>|]|\((?:\d+|<\w+>|'\w+'|R\d*|\w+)\))/, '(?:'],
	[/\(\?(?:P?<|')\w+[>']/, '('],
	[/\[\^?\]/, '[\\]'],
];
/** Switches to a syntax with comments, which only the PBX can judge. */
const EXTENDED = /\(\?[imnsJUX^-]*x/;
const ONE_OF_THEM = new RegExp(
	String.raw`\\Q|\\[^Q]|${PCRE_ONLY.map(([{ source }]) => source).join('|')}`,
	'g',
);

/** Returns why a text can't be a regular expression of any engine (§2.2); undefined if only the PBX can judge. */
export function patternFault(pattern: string): string | undefined {
	if (pattern.trim() === '') return 'it is empty';
	if (EXTENDED.test(pattern)) return undefined;
	const known = pattern
		.replace(/\\Q[\s\S]*?(?:\\E|$)/g, 'Q')
		.replace(ONE_OF_THEM, (found) => {
			if (found.startsWith('\\')) return found;
			const [, stand] = PCRE_ONLY.find(([one]) => one.test(found)) ?? [];
			return stand ?? found;
		})
		// Possessive quantifiers, and quantifiers of quantifiers.
		.replace(/([*+?}])\+/g, '$1')
		.replace(/\}\{\d+(?:,\d*)?\}/g, '}');
	try {
		new RegExp(known);
		return undefined;
	} catch (error) {
		return String((error as Error).message).replace(/^.*\/: /s, '');
	}
}

/** A flow as the user enters it. Without either field, the flow stays unchanged. */
type FlowInput = Pick<CallflowInput, 'flow' | 'pivot'>;

const flowSource = defineOptions({
	displayName: 'Flow',
	name: 'flowSource',
	type: 'options',
	options: [
		{
			name: 'Ask a Web Service (Pivot)',
			value: 'pivot',
			description: 'For each call, the PBX asks a web service, such as a workflow, what to do',
		},
		{ name: 'JSON', value: 'json', description: 'Any flow, as a tree of modules' },
	],
	default: 'pivot',
	description: 'What happens to a call that reaches this callflow',
});

const KEEP = { name: 'Keep as It Is', value: 'keep', description: 'Leave the flow unchanged' };

const flowSourceOrKeep = flowSource.with({
	options: [...(flowSource.property.options as INodePropertyOptions[]), KEEP],
	default: 'keep',
});

/** A choice that n8n knows only at run time: the parameter is then shown, but must not be required. */
const byExpression = { _cnd: { startsWith: '=' } };

const flowJson = defineJson({
	displayName: 'Flow (JSON)',
	name: 'flow',
	type: 'json',
	typeOptions: { rows: 6 },
	default: '{\n  "module": "user",\n  "data": {},\n  "children": {}\n}',
	required: true,
	description:
		'Tree of modules: "module" names the action, "data" its parameters, "children" what follows',
	displayOptions: { show: { flowSource: ['json'] } },
}).map((flow, place) => {
	const fault = flowFault(flow);
	if (fault === undefined) return completeFlow(flow);
	throw parameterError(
		place,
		`'Flow (JSON)' isn't valid: ${fault}`,
		'Every node of a flow needs a "module"; "data" and "children" are objects.',
	);
});

const serviceUrl = defineRaw({
	displayName: 'Web Service URL',
	name: 'serviceUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://n8n.example.com/webhook/route-call',
	description:
		'Address of the web service, such as the production URL of a Virtual PBX Call Routing Trigger',
	hint: 'The PBX gets only the host and path, and uses http or https, depending on its configuration.',
	displayOptions: { show: { flowSource: [byExpression] } },
}).map((value, place) => {
	const address = webserverOf(String(value ?? '').trim());
	if ('webserver' in address) return address;
	throw parameterError(
		place,
		`'Web Service URL' ${address.fault}`,
		'Enter host and path only, for example https://n8n.example.com/webhook/route-call',
	);
});

const requiredServiceUrl = serviceUrl.with({
	required: true,
	displayOptions: { hide: { flowSource: ['json', 'keep', byExpression] } },
});

const pivotRequest = definePivotRequest(
	['serviceMethod', 'serviceTimeout', 'serviceFormat'],
	'How long the PBX waits for the response. Until then, the caller hears silence.',
);

/** How the PBX calls a web service, for an operation's collection. */
export const pivotParameters: readonly Parameter[] = Object.values(pivotRequest).map((parameter) =>
	parameter.with({ displayOptions: { show: { '/flowSource': ['pivot'] } } }),
);

/**
 * Defines a flow: JSON or the Pivot form (§2.2), whose {@link pivotParameters} are in a collection. If the flow can
 * stay unchanged, that is the default. Reading throws NodeOperationError if the JSON is no flow, or the PBX couldn't
 * build the address from the form.
 */
export function defineFlow(
	collection: Parameter<AddedValues>,
	canStay = false,
): ParameterGroup<FlowInput> {
	const source = canStay ? flowSourceOrKeep : flowSource;
	return {
		parameters: [source, flowJson, requiredServiceUrl, serviceUrl],
		read(at) {
			const chosen = source.read(at) ?? source.property.default;
			if (chosen === 'keep') return {};
			if (chosen === 'json') return { flow: flowJson.read(at) };
			return { pivot: readPivot(at, collection.read(at)) };
		},
	};
}

function readPivot(at: ItemScope, added: AddedValues): Pivot {
	const { method, timeout, format } = pivotRequest;
	return {
		...serviceUrl.read(at),
		method: method.readIfSet(added)?.toUpperCase(),
		timeout: timeout.map(String).readIfSet(added),
		format: format.readIfSet(added),
	};
}
