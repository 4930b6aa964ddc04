import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Workflow } from 'n8n-workflow';
import type {
	IConnections,
	IDataObject,
	INode,
	INodeParameters,
	INodeTypes,
	IRunExecutionData,
	NodeParameterValueType,
	WorkflowExecuteMode,
} from 'n8n-workflow';

const FOLDER = path.resolve(__dirname, '../../examples');

/** An example's file. */
export interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
}

/** Lists the files of all examples, such as `services/slack.json`. */
export function listExamples(): string[] {
	const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
	return files.filter((file) => file.endsWith('.json')).sort();
}

/** Reads an example. */
export function readExampleFile(file: string): Example {
	return JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Example;
}

/** Lists what is in braces in a text: up to the first closing ones, where n8n ends an expression. */
const inBraces = (text: string): string[] => text.match(/\{\{.*?\}\}/gs) ?? [];

/** Lists the expressions of a node's parameters, without its code. */
function expressionsOf(value: unknown, name = ''): string[] {
	if (typeof value === 'string' && name === 'html') return inBraces(value);
	if (typeof value === 'string') return name !== 'jsCode' && value.startsWith('=') ? [value] : [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) => expressionsOf(inner, key));
}

/** Nodes for AI. Their parameters are prose with holes: a prompt, instructions, or the schema of an answer. */
const AI = '@n8n/n8n-nodes-langchain.';

/**
 * Lists the logic of a node's parameters: its expressions. Of prose, only what is in braces is logic.
 * The JSON body of a request counts as a whole, since it could hide logic.
 */
export function logicOf({ type, parameters }: INode): string[] {
	const expressions = expressionsOf(parameters);
	return type.startsWith(AI) ? expressions.flatMap(inBraces) : expressions;
}

/** Code nodes that also need what no call has, such as files and what other services answer. */
const NEED_MORE = [
	...['Compare and Learn', 'Decide', 'Describe Call', 'Fill Fields', 'Messages Not Sent'],
	...['Missing Recordings', 'Prepare Call', 'Prepare Link', 'Prepare Recording', 'Read File'],
	'Score Review',
];

/** No node types: an expression doesn't need them. */
const NO_TYPES = {
	getByName: () => undefined,
	getByNameAndVersion: () => undefined,
	getKnownTypes: () => ({}),
} as unknown as INodeTypes;

/** Lists the nodes from the triggers on, each once. */
function inOrder({ nodes, connections }: Example): INode[] {
	const next = ({ name }: INode) =>
		Object.values(connections[name] ?? {})
			.flat(2)
			.map((to) => nodes.find((node) => node.name === to?.node));
	const targets = new Set(nodes.flatMap(next));
	const order = new Set(nodes.filter((node) => !targets.has(node)));
	for (const node of order) for (const one of next(node)) if (one) order.add(one);
	return [...order];
}

/**
 * Evaluates an example's parameters on n8n's expression engine. Assumes every node ran with one item:
 * the given facts, plus the changes of earlier Set nodes. This finds a text wherever it is defined.
 */
export class ExampleTexts {
	private readonly order: INode[];
	private readonly workflow: Workflow;
	/** Output of the nodes so far, by name. */
	private readonly made = new Map<string, unknown>();

	constructor(
		example: Example,
		private readonly facts: IDataObject,
	) {
		this.order = inOrder(example);
		const { nodes, connections } = example;
		this.workflow = new Workflow({ nodes, connections, active: false, nodeTypes: NO_TYPES });
		for (const node of this.order) this.made.set(node.name, this.madeBy(node));
	}

	/** Returns a parameter's value as its node would see it. */
	valueOf(node: INode, parameter: NodeParameterValueType): unknown {
		const before = this.workflow.getParentNodes(node.name);
		const made = [...this.made].filter(([name]) => before.includes(name)).map(([, facts]) => facts);
		const json = Object.assign({}, this.facts, ...made) as IDataObject;
		const data = { mimeType: 'audio/wav', data: '', fileName: String(this.facts.recordingFile) };
		const item = { json, pairedItem: 0, binary: { data } };
		// In a row, so that the expression finds each of them on its way back.
		const chain = this.order.filter((one) => one !== node);
		const source = (index: number) => [{ previousNode: chain[index - 1]?.name ?? '' }];
		const runs = chain.map(({ name }, index) => [
			name,
			[{ data: { main: [[item], [item]] }, source: source(index) }],
		]);
		return this.workflow.expression.getParameterValue(
			parameter,
			{ resultData: { runData: Object.fromEntries(runs) } } as unknown as IRunExecutionData,
			0,
			0,
			node.name,
			[item],
			'manual' satisfies WorkflowExecuteMode,
			{ $execution: { id: '1', mode: 'test', resumeUrl: 'http://n8n/webhook-waiting/1' } as never },
			{ data: {}, node, source: { main: source(chain.length) } },
		);
	}

	private madeBy(node: INode): unknown {
		const { assignments, jsonOutput, jsCode } = node.parameters as INodeParameters & {
			assignments?: { assignments: Array<{ name: string; value: string }> };
		};
		if (typeof jsonOutput === 'string') return this.valueOf(node, jsonOutput);
		if (jsCode !== undefined) return this.ranCode(node, String(jsCode));
		if (!node.type.endsWith('.set') || !assignments) return {};
		const made = assignments.assignments.map(({ name, value }) => [
			name,
			this.valueOf(node, value),
		]);
		return Object.fromEntries(made);
	}

	private ranCode(node: INode, code: string): unknown {
		try {
			const [item] = this.valueOf(node, `={{ (() => {\n${code}\n})() }}`) as IDataObject[];
			return item?.json;
		} catch (error) {
			if (NEED_MORE.includes(node.name)) return {};
			throw error;
		}
	}
}
