import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { INode, IDataObject } from 'n8n-workflow';

import { ROOT } from '../../../tools/n8n';
import type { Example } from '../../support/exampleTexts';
import { listExamples, logicOf, readExampleFile } from '../../support/exampleTexts';
import { unless } from '../../support/unless';

const STICKY = 'n8n-nodes-base.stickyNote';
/** n8n's width and height of a node, with its name below. */
const NODE = { width: 100, height: 150 };

/** The node from which a line runs back: one sub-workflow per call, and one call at a time to measure each decision. */
const loopOf = (file: string) =>
	file === 'routing-rehearsal.json'
		? 'Note Answer'
		: /^crm\/(?!pop-up)/.test(file) && 'Log Missing Call';

const codeOf = ({ parameters }: INode) => String(parameters.jsCode ?? '');

interface Size {
	width: number;
	height: number;
}
const areOver = (one: INode, other: INode) => {
	const sizeOf = ({ type, parameters }: INode) =>
		type === STICKY ? (parameters as unknown as Size) : NODE;
	const isBefore = (axis: 0 | 1, side: keyof Size, from: INode, to: INode) =>
		from.position[axis] < to.position[axis] + sizeOf(to)[side];
	const meetIn = (axis: 0 | 1, side: keyof Size) =>
		isBefore(axis, side, one, other) && isBefore(axis, side, other, one);
	return meetIn(0, 'width') && meetIn(1, 'height');
};

/** Workflows that anyone can read: lanes from left to right. */
describe.each(listExamples())('%s', (file) => {
	const { nodes, connections } = readExampleFile(file);
	const onCanvas = nodes.filter(({ type }) => type !== STICKY);

	it('shows who is called by the fallback, and how they were chosen', () => {
		const steps = onCanvas
			.filter(({ type }) => type.endsWith('.virtualPbxRoutingTrigger'))
			.flatMap(({ parameters }) => (parameters.fallback as { step: IDataObject[] }).step);
		// For a bare value, the editor shows only "Mode…" where the list would be.
		for (const step of steps.filter(({ type }) => type === 'extension' || type === 'id'))
			expect(step[String(step.type)]).toMatchObject({ __rl: true, mode: step.type });
	});

	it('fits one canvas: few nodes, from left to right, nothing over anything', () => {
		expect(onCanvas.length).toBeLessThanOrEqual(24);
		expect(nodes.length - onCanvas.length).toBeLessThanOrEqual(5);
		const columnOf = (name: string) => nodes.find((node) => node.name === name)?.position[0] ?? 0;
		const back = Object.entries(connections).filter(([from, { main = [] }]) =>
			main.flat().some((to) => to && columnOf(to.node) <= columnOf(from)),
		);
		expect(back.map(([from]) => from)).toEqual([loopOf(file)].filter(Boolean));
		const hidden = nodes.filter((node, index) =>
			nodes.slice(index + 1).some((other) => areOver(node, other)),
		);
		expect(hidden.map(({ name }) => name)).toEqual([]);
	});

	it('can be read: short expressions, and short code that says why', () => {
		const long = nodes.flatMap(logicOf).filter((expression) => expression.length > 150);
		expect(long).toEqual([]);
		const codes = nodes.filter((node) => codeOf(node) !== '');
		const unread = codes.filter(
			(node) => codeOf(node).split('\n').length > 25 || !codeOf(node).startsWith('//'),
		);
		expect(unread.map(({ name }) => name)).toEqual([]);
	});
});

/** Workflows for a service: n8n asks for its credential, and writes to it. */
const KITS = listExamples().filter((file) => /^(crm|services)\//.test(file));

/**
 * Requests that create what nothing else recognizes, or whose errors do no harm. n8n repeats a node for all of its items
 * if the first one fails.
 */
const ONCE = new Set(
	`Create Properties, Show Call, Write Call Log, Write Task, Write Review, Add Recording,
	Create Spreadsheet, Upload Recording, Write Rows, Log Call, Create Contact or Find Call,
	Create Person or Find Call, Create Customer or Find Call, Create Call Log`.split(/,\s+/),
);

describe.each(KITS)('%s', (file) => {
	const { nodes, connections } = readExampleFile(file);

	it('asks for each credential once: the same placeholder in all nodes that take it', () => {
		const placeholders = nodes.flatMap(({ credentials = {} }) =>
			Object.entries(credentials).map(([type, { id, name }]) => `${type} ${String(id)} ${name}`),
		);
		const types = placeholders.map((text) => text.split(' ')[0]);
		expect(new Set(placeholders).size).toBe(new Set(types).size);
		expect(new Set(types).size).toBeLessThanOrEqual(2);
		const needy = nodes.filter(
			({ type, parameters, credentials }) =>
				(type.startsWith('n8n-nodes-virtual-pbx.') || parameters.authentication) && !credentials,
		);
		expect(needy.map(({ name }) => name)).toEqual([]);
	});

	it('names the call in each error, also of code that reads a response', () => {
		if (!nodes.some(({ name }) => name === 'Say Why')) return;
		const requests = nodes.filter(({ type }) => type === 'n8n-nodes-base.httpRequest');
		const next = requests.flatMap(({ name }) => connections[name]?.main?.[0] ?? []);
		const unnamed = nodes.filter(
			({ name, type, onError }) =>
				type === 'n8n-nodes-base.code' &&
				onError !== 'continueErrorOutput' &&
				next.some(({ node }) => node === name),
		);
		expect(unnamed.map(({ name }) => name)).toEqual([]);
	});

	it('spaces the requests for the recordings of a night, since services take only some per second', () => {
		if (!file.endsWith('/recording.json')) return;
		const requests = nodes.filter(({ type }) => type === 'n8n-nodes-base.httpRequest');
		const atOnce = requests.filter(
			({ executeOnce, parameters }) =>
				!executeOnce && !(parameters.options as IDataObject).batching,
		);
		expect(atOnce.map(({ name }) => name)).toEqual([]);
	});

	it('tries each write again, and says why it failed in the end', () => {
		const isRunAgain = /\/(find-customer|write-entry)\.json$/.test(file);
		const requests = nodes.filter(
			({ type, name }) => type === 'n8n-nodes-base.httpRequest' && !ONCE.has(name),
		);
		const once = requests.filter(({ retryOnFail }) => !retryOnFail).map(({ name }) => name);
		expect(isRunAgain ? [] : once).toEqual([]);
	});
});

/** n8n's own check of a workflow for the next major version. */
interface Rule {
	detectWorkflow?(
		workflow: Example,
		nodes: Map<string, INode[]>,
	): Promise<{ isAffected: boolean; issues: Array<{ title: string }> }>;
}

const FOLDER = path.join(ROOT, '.n8n/node_modules/n8n/dist/modules/breaking-changes/rules/v3');
const load = createRequire(path.join(FOLDER, 'index.js'));
const isInstalled = existsSync(FOLDER);
// What n8n's modules expect of its start.
if (isInstalled) load('reflect-metadata');

/** Node types of which only the outputs count: those with several. */
const nodeTypes = {
	getByNameAndVersion: (type: string) => ({
		description: {
			outputs: /\.(if|switch|splitInBatches)$/.test(type) ? ['main', 'main'] : ['main'],
		},
	}),
};

const rules = (isInstalled ? readdirSync(FOLDER) : [])
	.filter((name) => name.endsWith('.rule.js'))
	.flatMap((name) => Object.values(load(path.join(FOLDER, name)) as Record<string, unknown>))
	.filter((one) => typeof one === 'function')
	.map((Made) => new (Made as new (types: object) => Rule)(nodeTypes))
	.filter(({ detectWorkflow }) => detectWorkflow !== undefined);

async function reportOf(example: Example): Promise<string[]> {
	const grouped = new Map<string, INode[]>();
	for (const node of example.nodes)
		grouped.set(node.type, [...(grouped.get(node.type) ?? []), node]);
	const reports = await Promise.all(
		rules.map(async (rule) => await rule.detectWorkflow?.(example, grouped)),
	);
	return reports.flatMap((report) =>
		report?.isAffected ? report.issues.map(({ title }) => title) : [],
	);
}

const describeInstalled = unless(
	isInstalled ? undefined : "n8n's rules: n8n isn't installed yet, which `npm run setup` does",
	describe,
);

describeInstalled('the next major version of n8n', () => {
	it.each(listExamples())('has nothing to report about %s', async (file) => {
		expect(await reportOf(readExampleFile(file))).toEqual([]);
	});

	it("reports what n8n's rules name, such as one execution per item", async () => {
		const parameters = { mode: 'each' };
		const type = 'n8n-nodes-base.executeWorkflow';
		const node = {
			id: '1',
			name: 'A',
			type,
			parameters,
			typeVersion: 1,
			position: [0, 0],
		} as INode;
		expect(await reportOf({ name: 'A', nodes: [node], connections: {} })).toHaveLength(1);
	});
});
