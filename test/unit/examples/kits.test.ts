import type { INode } from 'n8n-workflow';
import { expressionsOf, listExamples, readExampleFile } from '../../support/exampleTexts';

/** Workflows that anyone can read: one job each, from left to right. */
const KITS = listExamples().filter((file) => /^(crm|services)\//.test(file));

/**
 * Requests that create what nothing else recognizes, or whose errors do no harm. n8n repeats a node for all of its items
 * if the first one fails.
 */
const ONCE = new Set([
	...['Create Properties', 'Show Call', 'Write Call Log', 'Write Task', 'Write Review'],
	...['Add Recording', 'Create Spreadsheet', 'Upload Recording', 'Write Rows'],
]);

const STICKY = 'n8n-nodes-base.stickyNote';
/** n8n's width and height of a node, with its name below. */
const NODE = { width: 100, height: 150 };

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

describe.each(KITS)('%s', (file) => {
	const { nodes, connections } = readExampleFile(file);
	const onCanvas = nodes.filter(({ type }) => type !== STICKY);

	it('fits one canvas: few nodes, from left to right, nothing over anything', () => {
		expect(onCanvas.length).toBeLessThanOrEqual(12);
		expect(nodes.length - onCanvas.length).toBeLessThanOrEqual(2);
		const columnOf = (name: string) => nodes.find((node) => node.name === name)?.position[0] ?? 0;
		const back = Object.entries(connections).flatMap(([from, { main = [] }]) =>
			main.flatMap((output) => output ?? []).filter(({ node }) => columnOf(node) <= columnOf(from)),
		);
		expect(back).toEqual([]);
		const hidden = nodes.filter((node, index) =>
			nodes.slice(index + 1).some((other) => overlap(boxOf(node), boxOf(other))),
		);
		expect(hidden.map(({ name }) => name)).toEqual([]);
	});

	it('can be read: short expressions, and short code that says why', () => {
		const long = nodes.flatMap(({ parameters }) => expressionsOf(parameters));
		expect(long.filter((expression) => expression.length > 150)).toEqual([]);
		const codes = nodes.filter((node) => codeOf(node) !== '');
		const unread = codes.filter(
			(node) => codeOf(node).split('\n').length > 25 || !codeOf(node).startsWith('//'),
		);
		expect(unread.map(({ name }) => name)).toEqual([]);
	});

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

	it('tries each write again, and says why it failed in the end', () => {
		const isRunAgain =
			/\/(find-customer|write-entry)\.json$/.test(file) && !/hubspot|zendesk/.test(file);
		const requests = onCanvas.filter(
			({ type, name }) => type === 'n8n-nodes-base.httpRequest' && !ONCE.has(name),
		);
		const once = requests.filter(({ retryOnFail }) => !retryOnFail).map(({ name }) => name);
		expect(isRunAgain ? [] : once).toEqual([]);
	});
});
