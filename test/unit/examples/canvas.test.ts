import type { IDataObject, INode } from 'n8n-workflow';
import { listExamples, logicOf, readExampleFile } from '../../support/exampleTexts';

const STICKY = 'n8n-nodes-base.stickyNote';
/** n8n's width and height of a node, with its name below. */
const NODE = { width: 100, height: 150 };

/** Workflows with a line that runs back, and why. */
const LOOPS: Record<string, string> = {
	'routing-rehearsal.json': 'Note Answer', // Measures how long each decision takes: one call at a time.
	'crm/hubspot.json': 'Log Missing Call', // One sub-workflow per call.
	'crm/amocrm.json': 'Log Missing Call',
	'crm/bitrix24.json': 'Log Missing Call',
	'crm/pipedrive.json': 'Log Missing Call',
	'crm/zendesk.json': 'Log Missing Call',
	'crm/google-sheets.json': 'Log Missing Call',
};

const codeOf = ({ parameters }: INode) => String(parameters.jsCode ?? '');

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

const boxOf = ({ position: [x, y], parameters, type }: INode): Box => {
	const { width, height } = type === STICKY ? (parameters as unknown as Box) : NODE;
	return { x, y, width, height };
};

const overlap = (one: Box, other: Box) =>
	one.x < other.x + other.width &&
	other.x < one.x + one.width &&
	one.y < other.y + other.height &&
	other.y < one.y + one.height;

/** Workflows that anyone can read: lanes from left to right. */
describe.each(listExamples())('%s', (file) => {
	const { nodes, connections } = readExampleFile(file);
	const onCanvas = nodes.filter(({ type }) => type !== STICKY);
	/** How many nodes a lane has from here on, without the lines that run back. */
	const columnsFrom = (name: string, before: string[] = []): number => {
		const next = (connections[name]?.main ?? []).flatMap((to) => to?.map(({ node }) => node) ?? []);
		const ahead = next.filter((one) => ![...before, name].includes(one));
		return 1 + Math.max(0, ...ahead.map((one) => columnsFrom(one, [...before, name])));
	};

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
		expect(Math.max(...onCanvas.map(({ name }) => columnsFrom(name)))).toBeLessThanOrEqual(11);
		const columnOf = (name: string) => nodes.find((node) => node.name === name)?.position[0] ?? 0;
		const back = Object.entries(connections).filter(([from, { main = [] }]) =>
			main.flat().some((to) => to && columnOf(to.node) <= columnOf(from)),
		);
		expect(back.map(([from]) => from)).toEqual([LOOPS[file]].flatMap((from) => from ?? []));
		const hidden = nodes.filter((node, index) =>
			nodes.slice(index + 1).some((other) => overlap(boxOf(node), boxOf(other))),
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
