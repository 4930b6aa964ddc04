import type { IDataObject } from 'n8n-workflow';
import { listExamples, readExampleFile } from '../../support/exampleTexts';

/** Workflows for a service: n8n asks for its credential, and writes to it. */
const KITS = listExamples().filter((file) => /^(crm|services)\//.test(file));

/**
 * Requests that create what nothing else recognizes, or whose errors do no harm. n8n repeats a node for all of its items
 * if the first one fails.
 */
const ONCE = new Set([
	...['Create Properties', 'Show Call', 'Write Call Log', 'Write Task', 'Write Review'],
	...['Add Recording', 'Create Spreadsheet', 'Upload Recording', 'Write Rows', 'Log Call'],
	...[
		'Create Contact or Find Call',
		'Create Person or Find Call',
		'Create Customer or Find Call',
		'Create Call Log',
	],
]);

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
